//! The contrast of two colours, as WCAG 2.2 defines it.

use ratatui::style::Color;

/// Relative luminance of a colour of 24 bits, from 0 to 1.
pub fn luminance(color: Color) -> f64 {
    let Color::Rgb(red, green, blue) = color else {
        panic!("{color:?} is not of 24 bits")
    };
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Contrast ratio of two colours of 24 bits, from 1 to 21.
pub fn ratio(text: Color, ground: Color) -> f64 {
    let [text, ground] = [text, ground].map(|color| luminance(color) + 0.05);
    text.max(ground) / text.min(ground)
}
