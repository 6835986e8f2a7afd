//! Mounting routes, and knowing afterwards what was mounted: a router cannot be asked.

use std::any::type_name;

use actix_web::http::Method;
use actix_web::web::{self, ServiceConfig};
use actix_web::{FromRequest, Handler, Responder, Route};

/// One route as it was mounted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mounted {
    /// The whole path, below the service's mount.
    pub path: String,
    /// The method, or `any`.
    pub method: String,
    /// The types of what its handler or its gate asks of a request: who may call is among them.
    pub takes: &'static str,
}

/// A handler and the method it answers.
pub struct Served {
    method: Method,
    route: Route,
    takes: &'static str,
}

fn served<F, Args>(method: Method, handler: F) -> Served
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    Served {
        route: web::method(method.clone()).to(handler),
        method,
        takes: type_name::<Args>(),
    }
}

macro_rules! methods {
    ($($name:ident $method:ident),+) => {$(
        #[doc = concat!("Answers `", stringify!($method), "`.")]
        pub fn $name<F, Args>(handler: F) -> Served
        where
            F: Handler<Args>,
            Args: FromRequest + 'static,
            F::Output: Responder + 'static,
        {
            served(Method::$method, handler)
        }
    )+};
}

methods!(get GET, head HEAD, post POST, patch PATCH, delete DELETE);

/// A part of a router that is being made, and the list of what it has.
pub struct Mount<'m> {
    config: &'m mut ServiceConfig,
    prefix: String,
    mounted: &'m mut Vec<Mounted>,
}

impl<'m> Mount<'m> {
    /// The part of a router below this prefix.
    pub fn below(
        prefix: impl Into<String>,
        config: &'m mut ServiceConfig,
        mounted: &'m mut Vec<Mounted>,
    ) -> Self {
        Self {
            config,
            prefix: prefix.into(),
            mounted,
        }
    }

    /// The router, for what is not a route for requests.
    pub fn config(&mut self) -> &mut ServiceConfig {
        self.config
    }

    /// Handlers of a path, and what all other methods get.
    pub fn resource(
        &mut self,
        path: &str,
        handlers: impl IntoIterator<Item = Served>,
        otherwise: Route,
    ) -> &mut Self {
        let mut resource = web::resource(path);
        for Served {
            method,
            route,
            takes,
        } in handlers
        {
            self.note(path, method.as_str(), takes);
            resource = resource.route(route);
        }
        self.config.service(resource.default_service(otherwise));
        self
    }

    /// Writes down a route that is mounted in another way.
    pub fn note(&mut self, path: &str, method: &str, takes: &'static str) {
        self.mounted.push(Mounted {
            path: format!("{}{path}", self.prefix),
            method: method.to_owned(),
            takes,
        });
    }
}
