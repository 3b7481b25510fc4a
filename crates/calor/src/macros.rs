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
/// fn compress(data: &[u8], level: i32) {
///     // Labels, which are all other names: each set of them has statistics of its own.
///     let scope = calor::open!("compress", codec = "zstd", level = level, n = data.len().next_power_of_two());
///     scope.add("bytes_in", data.len());
/// }
///
/// fn tiny_and_called_very_often() {
///     // Every call is counted, one in 16 is timed.
///     calor::scope!("tiny", time_one_in = 16);
/// }
/// # attention(1); matmul(2); compress(b"data", 3); tiny_and_called_very_often();
/// ```
///
/// The rules of `calor findings` read some labels: `n`, the size of the input, for work that grows faster than it; `threads`;
/// `role` (`"input"` or `"step"`) in a loop over batches; `codec` and `level` with the counters `bytes_in` and `bytes_out`.
/// A value is a text, a whole number or a `bool`, and should repeat: of a scope at most 128 sets of labels are told apart.
/// A name that is one letter away from a figure is taken for a slip of the pen:
///
/// ```compile_fail
/// calor::scope!("matmul", byts = 64); // error: this label is one letter away from `bytes`
/// ```
///
/// A name is a literal or a constant. One that is made at run time has a site of its own:
///
/// ```
/// # calor::enable();
/// # let layer = 3;
/// let _scope = calor::Scope::enter(calor::Site::named(&format!("layer {layer}")));
/// ```
///
/// For the guard as a value, see [`open!`](crate::open); for async code, [`InScope`](crate::InScope).
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
/// let tokens = vec![7, 8, 9];
/// scope.add("tokens", tokens.len());
/// drop(scope);
/// ```
///
/// Bind it: `let _ = calor::open!("generate")` drops the guard at once and measures nothing, while `let _scope` keeps it
/// to the end of the block. The compiler's lint `let_underscore_drop` tells the first apart; it is off by default:
///
/// ```compile_fail
/// #![deny(let_underscore_drop)]
/// let _ = calor::open!("generate");
/// ```
#[macro_export]
macro_rules! open {
    ($name:expr $(,)?) => {
        $crate::Scope::enter($crate::site!($name))
    };
    ($name:expr $(, $key:ident = $value:expr)+ $(,)?) => {
        $crate::open_sorted!($name; [] [] [] $($key = $value,)+)
    };
}

/// Sorts the arguments of [`open!`](crate::open): how often it is timed, what the scope works on, labels.
#[doc(hidden)]
#[macro_export]
macro_rules! open_sorted {
    ($name:expr; [] [$($figure:ident $told:expr,)*] []) => {{
        let scope = $crate::Scope::enter($crate::site!($name));
        $(let _ = scope.$figure($told);)*
        scope
    }};
    ($name:expr; [$n:expr] [$($figure:ident $told:expr,)*] []) => {{
        let scope = $crate::Scope::enter_one_in($crate::site!($name), $n);
        $(let _ = scope.$figure($told);)*
        scope
    }};
    ($name:expr; [] [$($figure:ident $told:expr,)*] [$($label:ident $value:expr,)+]) => {{
        $(const { $crate::check_label(stringify!($label)) };)+
        let labels = [$((stringify!($label), $crate::LabelValue::from($value)),)+];
        let scope = $crate::Scope::enter_labelled($crate::site!($name), &labels);
        $(let _ = scope.$figure($told);)*
        scope
    }};
    ($name:expr; [$n:expr] [$($figure:ident $told:expr,)*] [$($label:ident $value:expr,)+]) => {{
        $(const { $crate::check_label(stringify!($label)) };)+
        let labels = [$((stringify!($label), $crate::LabelValue::from($value)),)+];
        let scope = $crate::Scope::enter_labelled_one_in($crate::site!($name), &labels, $n);
        $(let _ = scope.$figure($told);)*
        scope
    }};
    ($name:expr; [] $figures:tt $labels:tt time_one_in = $n:expr, $($rest:tt)*) => {
        $crate::open_sorted!($name; [$n] $figures $labels $($rest)*)
    };
    ($name:expr; $n:tt [$($figure:tt)*] $labels:tt elements = $told:expr, $($rest:tt)*) => {
        $crate::open_sorted!($name; $n [$($figure)* elements $told,] $labels $($rest)*)
    };
    ($name:expr; $n:tt [$($figure:tt)*] $labels:tt bytes = $told:expr, $($rest:tt)*) => {
        $crate::open_sorted!($name; $n [$($figure)* bytes $told,] $labels $($rest)*)
    };
    ($name:expr; $n:tt [$($figure:tt)*] $labels:tt flops = $told:expr, $($rest:tt)*) => {
        $crate::open_sorted!($name; $n [$($figure)* flops $told,] $labels $($rest)*)
    };
    ($name:expr; $n:tt [$($figure:tt)*] $labels:tt backend = $told:expr, $($rest:tt)*) => {
        $crate::open_sorted!($name; $n [$($figure)* backend $told,] $labels $($rest)*)
    };
    ($name:expr; $n:tt $figures:tt [$($label:tt)*] $key:ident = $value:expr, $($rest:tt)*) => {
        $crate::open_sorted!($name; $n $figures [$($label)* $key $value,] $($rest)*)
    };
}

/// Says that the program got one step further: a request answered, a batch trained on. Experiments measure how many of
/// these there are in a time; see [`causal`](crate::causal). While there are none, it is a look at one word.
///
/// ```
/// for _batch in 0..3 {
///     // ... train on it
///     calor::progress!("batch");
/// }
/// ```
#[macro_export]
macro_rules! progress {
    ($point:expr) => {
        $crate::causal::progress($point)
    };
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
            // The compiler shows the next line to whoever gives a variable as the name.
            static SITE: $crate::Site = // a name made at run time: Site::named_context(name)
                $crate::Site::context($name, module_path!(), file!(), line!());
            $crate::Scope::enter(&SITE)
        };
    };
}

/// The [`Site`](crate::Site) of this place in the source.
#[macro_export]
macro_rules! site {
    ($name:expr) => {{
        // The compiler shows the next line to whoever gives a variable as the name.
        static SITE: $crate::Site = // a name made at run time: Scope::enter(Site::named(name))
            $crate::Site::new($name, module_path!(), file!(), line!());
        &SITE
    }};
}
