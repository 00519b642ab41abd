//! Whole programs: sum types, definitions that `main` calls, and `main`.

use std::sync::Arc;

use base::Name;
use ir::{
    Atom, Binder, Block, Builder, ConDecl, ControlOp, DataDecl, Def, Dialect, FunctionOp, Op,
    Origin, Prim, Program,
};
use ir::{Size, Spans, Type, Var};

use crate::library;
use crate::scope::{Callee, Gen, Habits};
use crate::shapes;
use testing::Random;

/// Sizes that are literals.
const SMALL: [i64; 6] = [1, 2, 2, 3, 3, 0];

/// The name of the definition that runs.
pub fn main() -> Name {
    Name::new("main")
}

/// A random program: `main` has size parameters, and parameters and results without functions.
/// The greater the size, the longer it is.
pub fn program(seed: u64, size: usize, dialect: Dialect) -> Program {
    let mut random = Random::new(seed);
    let habits = Habits {
        singular: random.once_in(8),
        stops: random.once_in(6),
        faults: random.once_in(12),
        functions: random.once_in(2) && dialect != Dialect::FirstOrder,
    };
    let mut program = Program::default();
    let mut callees = Vec::new();
    if size >= 6 && random.once_in(2) {
        declare(&mut random, &mut program, habits);
    }
    if size >= 8 && random.once_in(2) {
        callees = library::borrow(&mut random, &mut program, habits);
    }
    let count = random.below(1 + (size / 6).min(3));
    let fuel = size / (count + 1);
    for at in 0..count {
        let name = Name::from(format!("f{at}"));
        let recursive = random.once_in(3);
        let signature = signature(&mut random, &program, name, recursive);
        let cost = define(
            &mut random,
            &mut program,
            signature,
            (dialect, habits),
            (&callees, fuel, recursive),
        );
        let counts_down = recursive;
        callees.push(Callee { name: Name::from(format!("f{at}")), cost, counts_down });
    }
    let signature = main_signature(&mut random, size);
    define(
        &mut random,
        &mut program,
        signature,
        (dialect, habits),
        (&callees, size - count * fuel, false),
    );
    program
}

/// A type of functions: most on reals, some on other plain values.
fn function(random: &mut Random, sizes: &[Size]) -> Type {
    let mut part = || if random.once_in(3) { shapes::plain(random, sizes) } else { Type::Real };
    Type::Function(vec![part()], Box::new(part()))
}

/// Sum types: one with plain fields, lists, and lists of functions.
fn declare(random: &mut Random, program: &mut Program, habits: Habits) {
    let sizes = [Size::constant(2), Size::constant(3), Size::constant(1)];
    let con = |name: &str, fields: Vec<Type>| {
        let (name, sizes) = (Name::new(name), Vec::new());
        ConDecl { name, sizes, fields }
    };
    let mut add = |name: &str, cons: Vec<ConDecl>| {
        let name = Name::new(name);
        let (type_params, size_params) = (Vec::new(), Vec::new());
        program.datas.insert(name.clone(), DataDecl { name, type_params, size_params, cons });
    };
    if random.once_in(2) {
        let mut first = vec![Type::Real];
        if random.once_in(2) {
            first.push(shapes::plain(random, &sizes));
        }
        let mut second = vec![shapes::plain(random, &sizes)];
        if habits.functions && random.once_in(3) {
            second.push(function(random, &sizes));
        }
        let mut cons = vec![con("One", first), con("Two", second)];
        if random.once_in(2) {
            cons.push(con("None", Vec::new()));
        }
        add("Sum", cons);
    }
    if random.once_in(2) {
        let list = Type::Data(Name::new("List"), Vec::new(), Vec::new());
        add("List", vec![con("Nil", Vec::new()), con("Cons", vec![Type::Real, list])]);
    }
    if habits.functions && random.once_in(3) {
        let function = Type::Function(vec![Type::Real], Box::new(Type::Real));
        let rest = Type::Data(Name::new("Functions"), Vec::new(), Vec::new());
        add("Functions", vec![con("Stop", Vec::new()), con("Then", vec![function, rest])]);
    }
}

/// A definition without its body.
fn stub(name: Name, size_params: Vec<Var>, params: Vec<Type>, results: Vec<Type>) -> Def {
    let mut next_var = size_params.len() as u32;
    let mut binder = |ty: Type| {
        next_var += 1;
        Binder { var: Var(next_var - 1), ty }
    };
    let params = params.into_iter().map(&mut binder).collect();
    let results = results.into_iter().map(&mut binder).collect();
    let body = Block { stmts: Vec::new(), results: Vec::new() };
    let (type_params, spans) = (Vec::new(), Spans::default());
    Def {
        name,
        type_params,
        size_params,
        params,
        results,
        body,
        next_var,
        spans,
        origin: Origin::Source,
    }
}

/// Size parameters and the sizes that can be made of them.
fn size_params(random: &mut Random) -> (Vec<Var>, Vec<Size>) {
    let params: Vec<Var> = (0..random.below(3) as u32).map(Var).collect();
    let mut sizes: Vec<Size> =
        params.iter().flat_map(|it| [Size::var(*it), Size::var(*it)]).collect();
    sizes.extend([2, *random.pick(&SMALL)].map(Size::constant));
    (params, sizes)
}

fn main_signature(random: &mut Random, size: usize) -> Def {
    let (vars, sizes) = size_params(random);
    let mut params = vec![match random.below(3) {
        0 => Type::Real,
        1 => shapes::array(random, &sizes, 1, Type::Real),
        _ => shapes::array(random, &sizes, 2, Type::Real),
    }];
    let more = random.below(1 + (size / 3).min(2));
    params.extend((0..more).map(|_| shapes::plain(random, &sizes)));
    let at = random.below(params.len());
    params.swap(0, at);
    let mut results = vec![match random.below(3) {
        0 | 1 => Type::Real,
        _ => shapes::plain(random, &sizes),
    }];
    if random.once_in(4) {
        results.push(shapes::plain(random, &sizes));
    }
    stub(main(), vars, params, results)
}

fn signature(random: &mut Random, program: &Program, name: Name, recursive: bool) -> Def {
    let (vars, sizes) = size_params(random);
    let mut params = Vec::new();
    if recursive {
        params.push(Type::Int);
    }
    for _ in 0..1 + random.below(2) {
        params.push(shapes::plain(random, &sizes));
    }
    let datas: Vec<&Name> = program.datas.keys().collect();
    if !datas.is_empty() && random.once_in(2) {
        let name = (*random.pick(&datas)).clone();
        params.push(Type::Data(name, Vec::new(), Vec::new()));
    }
    let mut results = vec![match random.below(3) {
        0 | 1 => Type::Real,
        _ => shapes::plain(random, &sizes),
    }];
    if random.once_in(4) {
        results.push(shapes::plain(random, &sizes));
    }
    stub(name, vars, params, results)
}

/// Puts a definition with a body into the program; gives the work of one call.
fn define(
    random: &mut Random,
    program: &mut Program,
    mut def: Def,
    (dialect, habits): (Dialect, Habits),
    (callees, fuel, recursive): (&[Callee], usize, bool),
) -> u64 {
    // Its own signature, so that it can call itself.
    program.defs.insert(def.name.clone(), Arc::new(def.clone()));
    let mut sizes: Vec<Size> =
        def.size_params.iter().flat_map(|it| [Size::var(*it), Size::var(*it)]).collect();
    sizes.extend([1, 2, *random.pick(&SMALL)].map(Size::constant));
    let mut it = Gen {
        random,
        builder: Builder::new(program, def.next_var),
        dialect,
        habits,
        callees,
        scope: Vec::new(),
        sizes,
        positive: Vec::new(),
        indices: Vec::new(),
        runs: 1,
        cost: 1,
        derivatives: 0,
    };
    for var in &def.size_params {
        it.builder.declare(*var, Type::Int);
        it.bring(&[Binder { var: *var, ty: Type::Int }]);
    }
    for param in &def.params {
        it.builder.declare(param.var, param.ty.clone());
    }
    it.bring(&def.params);
    let types: Vec<Type> = def.results.iter().map(|it| it.ty.clone()).collect();
    let bound = Vec::new();
    def.body = it.block(&bound, |it| {
        if recursive {
            return it.recursion(&def, &types, fuel);
        }
        let share = (fuel / types.len()).max(1);
        if def.name == main() {
            it.call_some();
        }
        types.iter().map(|ty| it.computed(ty, share)).collect()
    });
    let cost = it.cost;
    let (next_var, _) = it.builder.finish();
    def.next_var = next_var;
    program.defs.insert(def.name.clone(), Arc::new(def));
    cost
}

impl Gen<'_, '_> {
    /// A body that calls itself with less, until nothing is left.
    fn recursion(&mut self, def: &Def, types: &[Type], fuel: usize) -> Vec<Atom> {
        let left = Atom::Var(def.params[0].var);
        let cond = self.prim(Prim::Le, vec![left.clone(), Atom::Int(0)]);
        let share = (fuel / types.len() / 2).max(1);
        self.runs = 4;
        let then = self.block(&[], |it| types.iter().map(|ty| it.computed(ty, share)).collect());
        let otherwise = self.block(&[], |it| {
            let less = it.prim(Prim::Sub, vec![left, Atom::Int(1)]);
            let mut args = vec![less];
            for param in &def.params[1..] {
                let next = it.value(&param.ty, 2);
                args.push(it.tame(next));
            }
            let sizes = def.size_params.iter().map(|it| Size::var(*it)).collect();
            let types_ = Vec::new();
            it.emit(Op::Function(FunctionOp::Call {
                def: def.name.clone(),
                types: types_,
                sizes,
                args,
            }));
            types.iter().map(|ty| it.computed(ty, share)).collect()
        });
        self.runs = 1;
        self.emit(Op::Control(ControlOp::If { cond, then, otherwise }))
    }
}
