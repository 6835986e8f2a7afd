//! Who a token belongs to: user, relations and session in one round trip.

use platform::pg::{DbError, Executor, Json, column};
use uuid::Uuid;

use super::sessions::{Session, session_object};
use super::users::{User, user_with_relations, with_relations};

const FIND: &str = concat!(
    "-- auth.users.find_caller
select ",
    user_with_relations!(),
    ",
  (select ",
    session_object!(),
    "
  from auth.sessions as s where s.id = $2) as session
from auth.users as u
where u.instance_id = '00000000-0000-0000-0000-000000000000' and u.id = $1"
);

/// The user a token names and the session, if it names one that exists.
pub(crate) async fn find(
    db: &impl Executor,
    user_id: Uuid,
    session_id: Option<Uuid>,
) -> Result<Option<(User, Option<Session>)>, DbError> {
    let Some(row) = db.query_opt(FIND, &[&user_id, &session_id]).await? else {
        return Ok(None);
    };
    let session = column::<Option<Json<Session>>>(&row, "session")?;
    Ok(Some((
        with_relations(&row)?,
        session.map(|session| session.0),
    )))
}
