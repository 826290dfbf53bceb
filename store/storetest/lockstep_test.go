package storetest

import "testing"

// The model beside itself: the rig compares like with like, and the model's own
// invariants hold over random histories.
func TestTheModelKeepsStepWithItself(t *testing.T) {
	Lockstep(t, model, 100, 60)
}

func TestExplainKeepsItsWordInRandomModels(t *testing.T) {
	ExplainKeepsItsWord(t, model, 100, 40)
}
