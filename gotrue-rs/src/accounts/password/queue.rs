//! Whose password is hashed next: everybody who waits has a turn in the round, however much one
//! client asks for.

use std::collections::{HashMap, VecDeque};

use crate::limits::Origin;

/// Something that waits for a thread.
pub(super) trait Job {
    /// Whether somebody still waits for the outcome.
    fn is_wanted(&self) -> bool;
}

/// Jobs by the client that asked for them.
pub(super) struct Queue<J> {
    lanes: HashMap<Origin, VecDeque<J>>,
    /// The clients with a job, in the order they are served.
    round: VecDeque<Origin>,
    waiting: usize,
}

impl<J> Default for Queue<J> {
    fn default() -> Self {
        Self {
            lanes: HashMap::new(),
            round: VecDeque::new(),
            waiting: 0,
        }
    }
}

impl<J: Job> Queue<J> {
    /// Lets a job wait if fewer than `room` do; what is given back is turned away.
    ///
    /// One client may take half the room. When all of it is taken, whoever waits with the most
    /// jobs gives up its newest one for a client with fewer.
    pub(super) fn push(&mut self, origin: &Origin, job: J, room: usize) -> Option<J> {
        let share = (room / 2).max(1);
        if self.waiting >= room || self.length(origin) >= share {
            self.forget_unwanted();
        }
        if self.length(origin) >= share {
            return Some(job);
        }
        let displaced = if self.waiting >= room {
            let longest = self.lanes.iter().max_by_key(|(_, lane)| lane.len());
            match longest {
                Some((other, lane)) if lane.len() > self.length(origin) + 1 => {
                    let other = other.clone();
                    self.take_newest(&other)
                }
                _ => return Some(job),
            }
        } else {
            None
        };
        if !self.lanes.contains_key(origin) {
            self.round.push_back(origin.clone());
        }
        self.lanes.entry(origin.clone()).or_default().push_back(job);
        self.waiting += 1;
        displaced
    }

    /// The job whose turn it is; those nobody waits for any longer are skipped.
    pub(super) fn pop(&mut self) -> Option<J> {
        while let Some(origin) = self.round.pop_front() {
            let Some(mut lane) = self.lanes.remove(&origin) else {
                continue;
            };
            let before = lane.len();
            let job = std::iter::from_fn(|| lane.pop_front()).find(J::is_wanted);
            self.waiting -= before - lane.len();
            if !lane.is_empty() {
                self.lanes.insert(origin.clone(), lane);
                self.round.push_back(origin);
            }
            if job.is_some() {
                return job;
            }
        }
        None
    }

    /// How many wait, wanted or not.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    fn length(&self, origin: &Origin) -> usize {
        self.lanes.get(origin).map_or(0, VecDeque::len)
    }

    fn take_newest(&mut self, origin: &Origin) -> Option<J> {
        let job = self.lanes.get_mut(origin)?.pop_back()?;
        self.waiting -= 1;
        Some(job)
    }

    fn forget_unwanted(&mut self) {
        for lane in self.lanes.values_mut() {
            lane.retain(J::is_wanted);
        }
        self.lanes.retain(|_, lane| !lane.is_empty());
        self.round.retain(|origin| self.lanes.contains_key(origin));
        self.waiting = self.lanes.values().map(VecDeque::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::{Job, Queue};
    use crate::limits::Origin;

    /// Who asked, and whether that client is still there.
    #[derive(Debug, PartialEq, Eq)]
    struct Asked(&'static str, bool);

    impl Job for Asked {
        fn is_wanted(&self) -> bool {
            self.1
        }
    }

    fn push(queue: &mut Queue<Asked>, who: &'static str) -> Option<&'static str> {
        let turned_away = queue.push(&Origin::named(who), Asked(who, true), 10);
        turned_away.map(|job| job.0)
    }

    fn served(queue: &mut Queue<Asked>) -> Vec<&'static str> {
        std::iter::from_fn(|| queue.pop())
            .map(|job| job.0)
            .collect()
    }

    #[test]
    fn clients_take_turns() {
        let mut queue = Queue::default();
        for who in ["eve", "eve", "eve", "ada", "bob", "ada"] {
            assert_eq!(push(&mut queue, who), None);
        }
        assert_eq!(
            served(&mut queue),
            ["eve", "ada", "bob", "eve", "ada", "eve"]
        );
    }

    #[test]
    fn one_client_takes_half_the_room() {
        let mut queue = Queue::default();
        let refused = (0..100).filter(|_| push(&mut queue, "eve").is_some());
        assert_eq!(refused.count(), 95);
        assert_eq!(push(&mut queue, "ada"), None);
    }

    #[test]
    fn whoever_waits_with_the_most_makes_room() {
        let mut queue = Queue::default();
        for who in [
            "eve", "eve", "eve", "eve", "mal", "mal", "mal", "mal", "mal", "bob",
        ] {
            assert_eq!(push(&mut queue, who), None);
        }
        assert_eq!(push(&mut queue, "ada"), Some("mal"));
        assert!(served(&mut queue)[..4].contains(&"ada"));
        for who in ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"] {
            assert_eq!(push(&mut queue, who), None);
        }
        assert_eq!(push(&mut queue, "k"), Some("k"));
    }

    #[test]
    fn clients_that_have_gone_are_skipped_and_take_no_room() {
        let mut queue = Queue::default();
        for _ in 0..5 {
            queue.push(&Origin::named("eve"), Asked("eve", false), 10);
        }
        assert_eq!(push(&mut queue, "eve"), None);
        assert_eq!(push(&mut queue, "ada"), None);
        assert_eq!(served(&mut queue), ["eve", "ada"]);
        assert_eq!(queue.pop(), None);
    }
}
