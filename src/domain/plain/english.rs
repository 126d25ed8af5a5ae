//! Everyday words around a need: they tell the market nothing, so they are repeated as no condition.

use super::nouns;
use super::phrases::fixed;
use crate::domain::catalog::Resource;

/// No names of models, places, processors or hosts: those filter rows.
const WORDS: &str = "
    discord slack telegram whatsapp power electricity energy green modded plex jellyfin
    ability able absolutely accept acceptable access according account across act active actual
    actually add additional address advance advice afford after afternoon again against age ago
    agree ahead aim alive allow allowed allows almost alone already alternative alternatives am
    among annoying answer anyway apart app application applications apply april architecture argue
    arrive article ask asked asking assume attempt august automated avoid aware back backend bad
    base basic beat because become been before begin beginner behind being believe benefit beside
    better beyond bless blog book boot boring both boss bought break brief bring broken brother
    browser burst business busy call called came care careful case cases catch cause certain
    chance change check checkpoint checkpointing choice class clean clear clearly code coding
    colab college come comes coming common community compare compared comparison compatible
    complete completely completion complex concurrent connect consider consistent constant
    container containers content continue continuous contract control convert cool correct could
    course create creating critical cron crunch currency current currently daily date dates
    dataset deadline deal december deep definitely deliver demanding department depends deploy
    deploying deployment describe description design desired desperate details develop developer
    developers different difficult directly discussion doing done doubt draft due early easier
    easy edge edit editing effective effectively efficient efficiently else email employee empty
    endpoint engine engineer enjoy ensure entry environment equivalent especially essential
    estimate etc evaluate evaluation evening event eventually ever every everybody exam example
    excellent exist expect experience experiment explain extra extremely fact failed fails fair
    faith fall familiar family far fashion february feel figure file files final finally finish
    finished fit fits fix fixed flat flexible focus follow following forever forget form format
    forward found frame frames framework frequently friday friend friends fun function further
    future game games gave general generate generated generating generation gets getting give
    given gives glad go goal goes going gone gonna got gotta great group grow guess guest guide
    guys hand happen happens happy hard hate having heard heavily heavy help helpful hence hint
    hit hold holiday hope hopefully hoping house however human hungry hurry idea ideal ignore
    important improve indeed infiniband initial inside instead intend intended intense intensive
    interactive interested interesting interface internal internally internship into involve issue
    issues item january job july just keep keeping kept kick kids kind kinda kinds knew know
    knowledge known lack language lasting later latest launch lead learn learned learner learning
    leave length let lets level life light lightweight lightly little live load loading local log
    logs look looks lora loss lot lots love luck lunch made main mainly maintain major make makes
    making manage manager many mark massive match matter matters me mean means medium meet meeting
    member mention message method mid middle midnight mind mine miss missing mode modern modest
    moment monday money morning mostly move moving name native natural near necessary need needed
    nevertheless new newer newest nicely night noise noisy normal normally note notice november
    nowadays object obviously occasional october off office official offline often okay old older
    once ongoing online only onto operate opinion optimal optimize order orders ordinary
    organization original others otherwise ought ours outdated overall own owner package page
    paper paperspace part parallel particular partner parts party pass past patient payment per
    perfect perfectly performance permit person personal phase phone pick picture pictures piece
    pilot pipeline pipelines plan planned planning plans platform play please plenty point poor
    popular portable position possible possibly post potential potentially practical practice
    prefer preferable preferred prepare present presentation pretty prevent previous previously
    primarily prior private pro probably problem problems process processing product production
    professor program programs progress promise proof proper properly proposal protect prove
    provide public publish pull purchase purpose purposes push put python quality quarter query
    question questions queue quiet quiz random rapid rarely rather reach read ready real realistic
    realize reason reasonable reasonably receive recent recently recommendation recommended
    recommendations reduce refer regard regarding regularly related relatively release remember
    remote repeat report request requests resource resources respond response responsive rest
    result resume return review room rough rule running runs runpod s3 safe safely said salary
    sample samples saturday save saving say saying scale scaling scene scenes schedule school
    science scientific script scripts season section secure security seem seems seen sensitive
    september sequence serious seriously serve served server session sessions set sets setting
    settings setup shape share sharing sheet ship shot should show side sign similar simply since
    sister sit situation size sized skill sleep slightly smart smooth smoothly social software
    solid solo solution solve some sometime sometimes somewhat song sorry sound sounds source
    space speak special specific specifically spend spent spin spread spring stage steady step
    steps stick store story strict strictly strong student stuff style subject success such sudden
    summer sunday super supposed sure suspend switch synthetic table take taken takes taking talk
    target tasks teach teaching tech technical temp temporarily temporary tend terms test tests
    text thank thanks theirs theme themselves thing things think thinking third thought thousands
    through throughout thursday tight tiny tip title to today together told tomorrow ton tons took
    tool tools top topic touch tough toward towards track trade trained trainer transcode
    transform transformer transformers translate translation tried trip true truly trust try
    trying tuesday tune tuned tuning turn tutorial twice type types typical typically unused
    update upcoming updated upgrade urgent usable useful usual usually util utilities vacation
    value valuable variable variant variants variety various version versus via view visit visual
    wait waiting wanna want wanted warm was watch watched way weather web wednesday weekend
    weekends welcome went were weird whatever wherever whether white why wide wider wife willing
    win winter wish wonder word words world worth would write writing written wrong yeah yep yes
    yesterday yet yo young your yours yourself hbm hbm2 hbm2e hbm3 hbm3e gddr6 gddr6x gddr7 pcs
    fp32 int8 int4 gguf awq gptq exl2 moe 4bit 8bit 16bit token tokens context ctx api apis cli
    gui ui frontend db database postgres redis kafka nginx github gitlab huggingface hf wandb
    mlflow civitai
";

/// Whether a word in lower case is one of them.
pub(super) fn is_everyday(word: &str) -> bool {
    WORDS.split_ascii_whitespace().any(|own| own == word)
}

/// The ends of nouns and verbs that name no model, place or host.
const ENDS: &[&str] = &[
    "ing", "tion", "sion", "tions", "sions", "ment", "ments", "ness", "ity", "ance", "ence", "ism",
    "ist", "ists", "ology", "graphy", "ically", "fully", "ously", "ively", "izer", "iser", "ative",
    "ational",
];

/// Whether a word in lower case is English by its form: `fingerprinting`, `visualisation`. A word close to
/// one with a meaning is none: it may be a typing error.
pub(super) fn is_derived(word: &str) -> bool {
    const SHORTEST: usize = 7;
    word.len() >= SHORTEST
        && word.bytes().all(|byte| byte.is_ascii_lowercase())
        && ENDS.iter().any(|end| word.ends_with(end))
        && !is_close(word)
}

/// Whether a word is within two typing errors of one with a meaning.
fn is_close(word: &str) -> bool {
    let fixed = fixed(Resource::Offers).into_iter().flatten();
    let known = fixed.map(|(words, _)| *words).chain(nouns::words());
    known
        .flat_map(|words| words.split(' '))
        .any(|own| strsim::damerau_levenshtein(word, own) <= 2)
}
