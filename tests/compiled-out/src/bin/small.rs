//! The program whose symbols are looked through.

fn main() {
    let x = compiled_out::with_scope(std::env::args().count() as u64);
    println!("{}", compiled_out::attributed(x) ^ compiled_out::Model.forward());
}
