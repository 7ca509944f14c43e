// RUN: rms-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{argument #0: 'rms.name' must be a string that starts with a letter or '_' and goes on with letters, digits and '_', but is "hidden states"}}
func.func private @name_with_space(tensor<8xf32> {rms.name = "hidden states"})

// -----

// expected-error @below {{argument #0: 'rms.name' must be a string that starts with a letter or '_'}}
func.func private @empty_name(tensor<8xf32> {rms.name = ""})

// -----

// expected-error @below {{argument #0: 'rms.name' must be a string that starts with a letter or '_' and goes on with letters, digits and '_', but is 3 : i32}}
func.func private @name_of_integer(tensor<8xf32> {rms.name = 3 : i32})

// -----

// expected-error @below {{result #0: 'rms.name' must be a string that starts with a letter or '_' and goes on with letters, digits and '_', but is "0y"}}
func.func private @result_name() -> (tensor<8xf32> {rms.name = "0y"})

// -----

// expected-error @below {{argument #1: 'rms.name' "x" is already the name of argument #0; give every parameter a name of its own}}
func.func private @same_name(tensor<8xf32> {rms.name = "x"},
                             tensor<8xf32> {rms.name = "x"})

// -----

// expected-error @below {{result #0: 'rms.name' "x" is already the name of argument #0}}
func.func private @result_named_as_argument(tensor<8xf32> {rms.name = "x"})
    -> (tensor<8xf32> {rms.name = "x"})

// -----

// expected-error @below {{result #1: 'rms.name' "y" is already the name of result #0}}
func.func private @results_of_one_name()
    -> (tensor<8xf32> {rms.name = "y"}, tensor<8xf32> {rms.name = "y"})

// -----

// expected-error @below {{argument #0: 'rms.may_alias' must be the number of a result, from 0 to 0, as in '0 : index', but is 1 : index}}
func.func private @no_such_result(tensor<8xf32> {rms.may_alias = 1 : index})
    -> tensor<8xf32>

// -----

// expected-error @below {{argument #0: 'rms.may_alias' must be the number of a result, from 0 to 0, as in '0 : index', but is 0 : i32}}
func.func private @not_an_index(tensor<8xf32> {rms.may_alias = 0 : i32})
    -> tensor<8xf32>

// -----

// expected-error @below {{argument #0: 'rms.may_alias' needs a result whose buffer the argument may share, but the function has none}}
func.func private @no_result(tensor<8xf32> {rms.may_alias = 0 : index})

// -----

// expected-error @below {{argument #0: 'rms.may_alias' names result #0, but their types differ: 'tensor<8xf32>' and 'tensor<8xbf16>'; only exact in-place use, element for element, can be declared}}
func.func private @other_type(tensor<8xf32> {rms.may_alias = 0 : index})
    -> tensor<8xbf16>

// -----

// expected-error @below {{argument #1: result #0 may already share the buffer of argument #0; a result can share the buffer of one argument only}}
func.func private @two_arguments(tensor<8xf32> {rms.may_alias = 0 : index},
                                 tensor<8xf32> {rms.may_alias = 0 : index})
    -> tensor<8xf32>

// -----

// expected-error @below {{result #0: 'rms.may_alias' belongs on the argument whose buffer the result may share, with the result's number as its value}}
func.func private @alias_on_result(tensor<8xf32>)
    -> (tensor<8xf32> {rms.may_alias = 0 : index})

// -----

// expected-error @below {{argument #0: unknown attribute 'rms.nmae'; an argument may carry 'rms.name' and 'rms.may_alias'}}
func.func private @misspelt(tensor<8xf32> {rms.nmae = "x"})

// -----

// expected-error @below {{result #0: unknown attribute 'rms.alias'; a result may carry 'rms.name'}}
func.func private @misspelt_on_result() -> (tensor<8xf32> {rms.alias = "x"})
