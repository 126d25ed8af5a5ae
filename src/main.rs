//! start
use bourse::api::client::{Client, ClientConfig, Origin};
use bourse::domain::Dialect;
fn main() {
    let rt = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let st = rt.block_on(async {
        let sb = bourse::sandbox::Sandbox::start(Default::default())
            .await
            .unwrap();
        let o = Origin::of_listener(sb.addr()).unwrap();
        let client = Client::new(ClientConfig {
            management: o.clone(),
            route: o,
            dialect: &Dialect::SANDBOX,
            key: Some(bourse::api::Secret::new(sb.key())),
        })
        .unwrap();
        let profile = bourse::app::Profile {
            name: "sandbox".into(),
            is_sandbox: true,
            read_only: false,
            dialect: &Dialect::SANDBOX,
            base_url: sb.base_url(),
            has_key: true,
        };
        let model = bourse::app::Model::new(profile, None);
        let theme = bourse::ui::theme::Theme::detect(|n| std::env::var(n).ok());
        bourse::runtime::start::show(model, client, theme).await
    });
    std::process::exit(st.unwrap());
}
