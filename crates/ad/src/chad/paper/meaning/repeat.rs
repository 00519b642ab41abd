//! Loops: a term of a state, again and again.

use super::super::term::{Loop, Steps};
use super::{Environment, Machine, Run, Side, Value};

impl<'t> Machine<'_> {
    pub(super) fn repeat(&mut self, env: &Environment<'t>, it: &'t Loop) -> Run<'t> {
        let mut state = self.run(env, &it.init)?;
        let count = match &it.steps {
            Steps::Count(count) => {
                let value = self.run(env, count)?;
                let Value::Int(count) = value else { return Err(format!("no count: {value:?}")) };
                count
            }
            Steps::While(..) => i64::MAX,
        };
        for at in 0..count {
            if let Steps::While(s, holds) = &it.steps
                && !is_true(&self.run(&env.with(s, state.clone()), holds)?)
            {
                break;
            }
            let env = env.with(&it.state, state).with(&it.index, Value::Int(at));
            state = self.run(&env, &it.body)?;
        }
        Ok(state)
    }
}

fn is_true(value: &Value<'_>) -> bool {
    matches!(value, Value::Inject(Side::Left, _))
}
