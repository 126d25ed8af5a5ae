//! Charts draw a value, its tick and its sign in one cell.

use super::*;
use ratatui::widgets::Widget as _;
use ratatui::widgets::canvas::Points;

#[test]
fn a_chart_is_cut_where_a_few_values_would_press_the_others_together() {
    let steady: Vec<f64> = (0..100).map(|value| 1.0 + f64::from(value) / 100.0).collect();
    assert_eq!(cut_off_value(steady.iter().copied()), None);
    // One of a hundred is five times as high.
    let peak = steady.iter().copied().take(99).chain([9.0]);
    assert_eq!(cut_off_value(peak), Some(1.97));
    assert_eq!(cut_off_value([2.0, 2.0, f64::NAN]), None);
    assert_eq!(cut_off_value([]), None);
}

#[test]
fn a_label_stands_where_no_line_runs() {
    let rows = ["⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒", "⠒⠒⠒⠒⠒⠒⠒⠒        ", "                "];
    let buffer = Buffer::with_lines(rows);
    assert_eq!(label_place(4, 0, buffer.area, &buffer), Some((8, 1)));
    assert_eq!(label_place(10, 0, buffer.area, &buffer), Some((1, 2)));
    let full = Buffer::with_lines([rows[0]]);
    assert_eq!(label_place(4, 0, full.area, &full), None);
}

/// The cell with a dot, and the row of the dot in it, that the canvas of `plot` draws at a position.
fn drawn_dot(at: (f64, f64), plot: Rect) -> ((u16, u16), u32) {
    let mut buffer = Buffer::empty(plot);
    let canvas = canvas(plot).paint(|context| {
        context.draw(&Points {
            coords: &[at],
            color: Color::Reset,
        });
    });
    canvas.render(plot, &mut buffer);
    let dots = |x, y| {
        let sign = buffer[(x, y)].symbol().chars().next().map_or(0, u32::from);
        sign.saturating_sub(0x2800)
    };
    let mut cells = plot
        .rows()
        .flat_map(|row| (row.left()..row.right()).map(move |x| (x, row.y)));
    let (x, y) = cells.find(|(x, y)| (1..0x100).contains(&dots(*x, *y))).unwrap();
    let rows = [0x09, 0x12, 0x24, 0xc0];
    let row = rows.iter().position(|row| dots(x, y) & row != 0).unwrap();
    ((x, y), u32::try_from(row).unwrap())
}

#[test]
fn a_sign_is_in_the_cell_of_its_dot() {
    for size in 2..30 {
        let plot = Rect::new(10, 5, size, size);
        for step in 0..=100 {
            let at = (f64::from(step) / 100.0, f64::from(step * 7 % 101) / 100.0);
            assert_eq!(drawn_dot(at, plot).0, dot_cell(at, plot), "{at:?} of {size}");
        }
    }
}

#[test]
fn a_tick_is_beside_the_dot_of_its_value() {
    let scales = [(0.0, 1.0), (0.2, 0.7), (-40.0, 60.0), (0.0, 3.0)];
    for (low, high) in scales {
        let kind = ScaleKind::Linear;
        let scale = Scale { kind, low, high };
        let axis = Axis(&scale, Labels::Number);
        for size in 3..60 {
            let rows = axis.even_rows(size, Form::Dots);
            let plot = Rect::new(0, 0, size, rows);
            let ticks = axis.upwards(rows, Form::Dots);
            for tick in &ticks {
                let value: f64 = tick.label.parse().unwrap();
                let ((_, y), row) = drawn_dot((0.0, scale.position(value).unwrap()), plot);
                assert_eq!(y, rows - tick.cell, "{value} of {rows} rows");
                // Ticks at equal steps from end to end have their dots in the middle of the row, as the labels are.
                let ends = ticks
                    .first()
                    .zip(ticks.last())
                    .map(|(first, last)| (first.cell, last.cell));
                let is_whole = ticks.len() > 2 && is_even(&ticks) && ends == Some((1, rows));
                assert!(!is_whole || (1..=2).contains(&row), "{value} of {rows} rows: {row}");
            }
            for tick in axis.across(size) {
                let value: f64 = tick.label.parse().unwrap();
                let ((x, _), _) = drawn_dot((scale.position(value).unwrap(), 0.0), plot);
                assert_eq!(x, tick.cell, "{value} of {size} columns");
            }
        }
    }
}

#[test]
fn a_tick_of_bars_is_in_the_last_row_of_the_bar() {
    let scale = Scale::fit([0.0, 8.0], Some(ScaleKind::Linear)).unwrap();
    let axis = Axis(&scale, Labels::Count);
    for rows in 2..40 {
        let area = Rect::new(0, 0, 1, rows);
        for tick in axis.upwards(rows, Form::Bars) {
            let value: u64 = tick.label.parse().unwrap();
            let mut buffer = Buffer::empty(area);
            Sparkline::default().data([value]).max(8).render(area, &mut buffer);
            let filled = area.rows().filter(|row| buffer[(0, row.y)].symbol() != " ").count();
            assert_eq!(filled, usize::from(tick.cell), "{value} in {rows} rows");
        }
    }
}
