// Virtual calls, templates and the standard library's algorithms, from a constructor before main to a destructor
// after it.
#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

volatile long sink;

struct Shape {
    virtual ~Shape() { sink += 1; }
    virtual long area() const = 0;
};

struct Square : Shape {
    explicit Square(long side) : side(side) {}
    long area() const override { return side * side + sink; }
    long side;
};

struct Early {
    Early() { sink += 1; }
    ~Early() { sink += 1; }
} early;

template <typename F> __attribute__((noinline)) static long call(F f, long n) { return f(n) + sink; }

int main() {
    std::vector<std::unique_ptr<Shape>> shapes;
    for (long side : {3, 1, 2}) shapes.push_back(std::make_unique<Square>(side));
    std::sort(shapes.begin(), shapes.end(), [](const auto &a, const auto &b) { return a->area() < b->area(); });
    std::function<long(long)> total = [&](long start) {
        return std::accumulate(shapes.begin(), shapes.end(), start, [](long sum, const auto &s) { return sum + s->area(); });
    };
    sink += call(total, 5L);
    sink += static_cast<long>(std::to_string(sink).size());
    return sink == 0;
}
