//! The macros that make sites. They expand to the same code whether Calor is compiled in or out; then the
//! types they name are empty.

/// Opens a scope that ends with the enclosing block.
///
/// ```
/// # calor::enable();
/// fn attention(tokens: usize) {
///     calor::scope!("attention");
///     // ... what is timed
/// }
///
/// fn matmul(n: u64) {
///     // What the scope works on: elements, bytes, flops, backend.
///     calor::scope!("matmul", flops = 2 * n * n * n, bytes = 3 * n * n * 4, backend = "avx2");
/// }
///
/// fn tiny_and_called_very_often() {
///     // Every call is counted, one in 16 is timed.
///     calor::scope!("tiny", time_one_in = 16);
/// }
/// # attention(1); matmul(2); tiny_and_called_very_often();
/// ```
///
/// For the guard as a value, see [`open!`](crate::open).
#[macro_export]
macro_rules! scope {
    ($($arguments:tt)+) => {
        let _calor_scope = $crate::open!($($arguments)+);
    };
}

/// Opens a scope and returns its guard, a [`Scope`](crate::Scope), to which what becomes known later can be told.
///
/// ```
/// # calor::enable();
/// let scope = calor::open!("generate");
/// let tokens = 5;
/// scope.add("tokens", tokens);
/// drop(scope);
/// ```
#[macro_export]
macro_rules! open {
    ($name:expr $(,)?) => {
        $crate::Scope::enter($crate::site!($name))
    };
    ($name:expr, time_one_in = $n:expr $(, $key:ident = $value:expr)* $(,)?) => {{
        let scope = $crate::Scope::enter_one_in($crate::site!($name), $n);
        $(let _ = scope.$key($value);)*
        scope
    }};
    ($name:expr $(, $key:ident = $value:expr)+ $(,)?) => {{
        let scope = $crate::Scope::enter($crate::site!($name));
        $(let _ = scope.$key($value);)+
        scope
    }};
}

/// Opens a named context that ends with the enclosing block: what happens inside can be reported alone.
///
/// ```
/// # calor::enable();
/// calor::context!("preprocessing");
/// calor::scope!("normalise");
/// ```
#[macro_export]
macro_rules! context {
    ($name:expr) => {
        let _calor_context = {
            static SITE: $crate::Site = $crate::Site::context($name, module_path!(), file!(), line!());
            $crate::Scope::enter(&SITE)
        };
    };
}

/// The [`Site`](crate::Site) of this place in the source.
#[macro_export]
macro_rules! site {
    ($name:expr) => {{
        static SITE: $crate::Site = $crate::Site::new($name, module_path!(), file!(), line!());
        &SITE
    }};
}
