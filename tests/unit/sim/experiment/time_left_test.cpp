#include "sim/experiment/running/time_left.hpp"

#include <catch2/catch.hpp>

namespace lockstep::time_left_test {

using lockstep::experiment::TimeLeft;

TEST_CASE("Time left counts what runs of the same execution took, on all threads") {
  TimeLeft left({"a", "a", "a", "a", "a"}, 2);
  CHECK_FALSE(left.seconds_left(0).has_value());
  left.begin(0, 0);
  left.begin(1, 0);
  CHECK_FALSE(left.seconds_left(1).has_value());
  left.end(0, 4);
  CHECK(left.seconds_left(4) == 6.0);  // Run 1 would end now; three of 4 s on two threads.
  left.begin(2, 4);
  left.end(1, 4);
  left.begin(3, 4);
  CHECK(left.seconds_left(5) == 5.0);  // 3 + 3 + 4 on two threads.
  left.end(2, 8);
  left.end(3, 8);
  left.begin(4, 8);
  CHECK(left.seconds_left(8) == 4.0);  // One thread alone.
}

TEST_CASE("A run that is under way is judged by how far it is") {
  TimeLeft left({"a", "b"}, 1);
  left.begin(0, 10);
  left.advance(0, 0.25);
  CHECK(left.seconds_left(11) == 7.0);  // 3 s of it, and 4 s for the other.
  left.end(0, 14);
  left.begin(1, 14);
  CHECK(left.seconds_left(14) == 4.0);
  left.advance(1, 0.5);  // It takes longer than the first.
  CHECK(left.seconds_left(24) == 10.0);
  CHECK(left.seconds_left(24.5) == 10.5);
}

TEST_CASE("Runs of an execution that was never timed are taken to be as long as those timed last") {
  TimeLeft left({"small", "large", "larger", "larger"}, 1);
  left.begin(0, 0);
  left.end(0, 1);
  CHECK(left.seconds_left(1) == 3.0);
  left.begin(1, 1);
  left.end(1, 11);
  CHECK(left.seconds_left(11) == 20.0);
}

TEST_CASE("Executions that runs wait for take time too") {
  TimeLeft left({"a", "a", "b", "b"}, 1);
  left.expect_execution("a");
  left.expect_execution("b");
  left.begin_execution("a", 0);
  CHECK_FALSE(left.seconds_left(1).has_value());
  left.end_execution("a", 5);
  left.begin(0, 5);
  left.end(0, 6);
  CHECK(left.seconds_left(6) == 8.0);  // Three runs of 1 s and an execution of 5 s.
  left.begin(1, 6);
  left.end(1, 7);
  left.begin_execution("b", 7);
  CHECK(left.seconds_left(9) == 5.0);
  left.end_execution("b", 12);
  CHECK(left.seconds_left(12) == 2.0);
}

}  // namespace lockstep::time_left_test
