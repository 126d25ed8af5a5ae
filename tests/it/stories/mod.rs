//! Keys against the pure core and its screens, a view a module.

mod route_lab;
