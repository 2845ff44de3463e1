// Reading the figures of an experiment file.

#include "sim/experiment/reading/load_figures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "isa/did_you_mean.hpp"
#include "sim/experiment/reading/axis_reader.hpp"

namespace lockstep::experiment {

namespace {

using config::Value;

/// "a, b, c" of a table of names.
template <typename Names>
std::vector<std::string> names_of(const Names& names) {
  std::vector<std::string> all;
  for (const auto& [name, value] : names) all.emplace_back(name);
  return all;
}

class FigureReader : AxisReader {
 public:
  FigureReader(const std::vector<Axis>& axes, config::ErrorList& errors) : AxisReader(axes, errors) {}

  std::vector<Figure> read(const Value& list) {
    std::vector<Figure> figures;
    if (list.kind != Value::Kind::list) {
      note(list.where, "'figures' is a list of maps such as {x: args.bins, y: cycles}");
      return figures;
    }
    for (const Value& item : list.items)
      part([&] {
        Figure figure = read_figure(item);
        const bool again = std::any_of(figures.begin(), figures.end(),
                                       [&](const Figure& other) { return other.title == figure.title; });
        if (again) spoil(item.where, fmt::format("two figures have the title '{}'", figure.title));
        figures.push_back(std::move(figure));
      });
    return figures;
  }

 private:
  Figure read_figure(const Value& item) {
    if (item.kind != Value::Kind::map) spoil(item.where, "a figure is a map such as {x: args.bins, y: cycles}");
    check_keys(item, {"x", "y", "series", "facet", "scale", "kind", "title", "where", "published"});
    Figure figure;
    for (const Value& value : items_of(needed(item, "y", "what the figure shows: a column, or a list of them")))
      part([&] { figure.y.push_back(read_value(value)); });
    if (const Value* x = item.find("x")) part([&] { figure.x = named_column(*x, axes()); });
    if (const Value* series = item.find("series")) read_columns(*series, figure.series);
    if (const Value* facet = item.find("facet")) read_columns(*facet, figure.facets);
    if (const Value* kind = item.find("kind"))
      part([&] { figure.kind = named(*kind, figure_kinds, "a kind of figure"); });
    if (const Value* scale = item.find("scale")) part([&] { read_scale(*scale, figure); });
    if (const Value* where = item.find("where")) part([&] { read_where(*where, figure.where, "where"); });
    if (const Value* published = item.find("published")) read_published(*published, figure);
    if (figure.kind == Figure::Kind::stacked && !figure.published.empty())
      note(item.find("published")->where, "stacked bars have no place for published values; take bars");
    if (figure.y.empty()) {
      if (is_list_without_items(*item.find("y"))) note(item.find("y")->where, "the figure shows nothing");
      throw Spoilt{};  // or what is wrong with each is noted
    }
    if (const Value* title = item.find("title")) figure.title = title->as_string();
    if (figure.title.empty()) figure.title = title_of(figure);
    check_axes(item, figure);
    return figure;
  }

  static bool is_list_without_items(const Value& value) {
    return value.kind == Value::Kind::list && value.items.empty();
  }

  static std::string title_of(const Figure& figure) {
    std::vector<std::string> shown;
    for (const FigureValue& value : figure.y) shown.push_back(value.shown.header);
    return fmt::format("{}{}{}", fmt::join(shown, ", "), figure.x ? " by " : "", figure.x ? figure.x->name : "");
  }

  /// A column, or a map that says how to pick and show it.
  FigureValue read_value(const Value& value) {
    const Value* name = &value;
    CheckValue::Pick pick = CheckValue::Pick::only;
    if (value.kind == Value::Kind::map) {
      check_keys(value, {"column", "minimum", "maximum", "mean", "geometric_mean", "header", "percent"});
      name = nullptr;
      for (const auto& [key, own] : figure_picks) {
        const Value* found = value.find(key);
        if (found == nullptr) continue;
        if (name != nullptr) spoil(found->where, "a value is picked in one way only");
        name = found;
        pick = own;
      }
      if (name == nullptr)
        spoil(value.where, fmt::format("a value needs one of {}", fmt::join(names_of(figure_picks), ", ")));
    }
    FigureValue result{pick, TableColumn(named_column(*name, axes()))};
    if (!shows_numbers(result.shown.column))
      spoil(name->where, fmt::format("{} shows names, and y needs numbers", name->text));
    if (const Value* header = value.find("header")) result.shown.header = header->as_string();
    if (const Value* percent = value.find("percent")) result.shown.percent = percent->as_bool();
    if (result.shown.percent) result.shown.unit = std::string(1, '%');
    return result;
  }

  bool shows_numbers(const Column& column) const {
    if (column.group != Column::Group::axis) return !column.is_text;
    for (const Axis& axis : axes()) {
      if (axis.path != column.name) continue;
      return std::all_of(axis.values.begin(), axis.values.end(), [](const Value& value) {
        try {
          value.as_number();
          return true;
        } catch (const InputError&) {
          return false;
        }
      });
    }
    return false;
  }

  void read_columns(const Value& list, std::optional<std::vector<Column>>& columns) {
    columns.emplace();
    if (is_empty(&list)) return;
    for (const Value& item : items_of(list)) part([&] { columns->push_back(named_column(item, axes())); });
  }

  template <typename T, std::size_t N>
  T named(const Value& value, const std::array<std::pair<std::string_view, T>, N>& names, const char* what) {
    const std::string wanted = value.as_string();
    for (const auto& [name, own] : names)
      if (name == wanted) return own;
    const std::vector<std::string> known = names_of(names);
    spoil(value.where, fmt::format("'{}' is not {}; there are {}{}", wanted, what, fmt::join(known, ", "),
                                   did_you_mean(wanted, known)));
  }

  /// One scale, of y, or a map from x and y to scales.
  void read_scale(const Value& scale, Figure& figure) {
    if (scale.kind != Value::Kind::map) {
      figure.y_scale = named(scale, figure_scales, "a scale");
      return;
    }
    check_keys(scale, {"x", "y"});
    if (const Value* x = scale.find("x")) figure.x_scale = named(*x, figure_scales, "a scale");
    if (const Value* y = scale.find("y")) figure.y_scale = named(*y, figure_scales, "a scale");
    if (figure.x_scale == Figure::Scale::log && figure.x && !shows_numbers(*figure.x))
      spoil(scale.find("x")->where,
            fmt::format("{} shows names, and a logarithmic x axis needs numbers", figure.x->name));
  }

  void read_published(const Value& list, Figure& figure) {
    if (list.kind != Value::Kind::list) {
      note(list.where, "'published' is a list of maps such as {at: {args.bins: 64}, value: 2.1}");
      return;
    }
    for (const Value& item : list.items)
      part([&] {
        as_map(item, "a published value");
        check_keys(item, {"at", "value"});
        Figure::Published one;
        read_where(needed(item, "at", "the swept values that it belongs to"), one.at, "at");
        one.value = needed(item, "value", "the number that the source prints").as_number();
        figure.published.push_back(std::move(one));
      });
  }

  /// What tells the points of a figure apart must be one of its axes, unless a value is picked from them.
  void check_axes(const Value& item, const Figure& figure) {
    const bool picked = std::none_of(figure.y.begin(), figure.y.end(),
                                     [](const FigureValue& value) { return value.pick == CheckValue::Pick::only; });
    const bool scattered = figure.kind == Figure::Kind::points && figure.x && shows_numbers(*figure.x);
    if (picked || scattered || !figure.x || !figure.series || !figure.facets) return;
    std::vector<Column> named{*figure.x};
    for (const auto* more : {&*figure.series, &*figure.facets}) named.insert(named.end(), more->begin(), more->end());
    if (std::any_of(named.begin(), named.end(),
                    [](const Column& column) { return column.group != Column::Group::axis; }))
      return;  // What such a column tells apart is known when the points are.
    std::vector<std::string> left;
    for (const Axis& axis : axes()) {
      std::size_t count = axis.values.size();
      for (const auto& [path, texts] : figure.where)
        if (path == axis.path) count = texts.size();
      const bool shown =
          std::any_of(named.begin(), named.end(), [&](const Column& column) { return column.name == axis.path; });
      if (count > 1 && !shown) left.push_back(axis.path);
    }
    if (!left.empty())
      note(item.where,
           fmt::format("several points would lie at one place: {} {} neither x, series nor facet; name {}, "
                       "choose one value with 'where', or show the mean, minimum, ... of y",
                       fmt::join(left, ", "), left.size() == 1 ? "is" : "are", left.size() == 1 ? "it" : "them"));
  }
};

}  // namespace

std::vector<Figure> read_figures(const Value& list, const std::vector<Axis>& axes, config::ErrorList& errors) {
  return FigureReader(axes, errors).read(list);
}

}  // namespace lockstep::experiment
