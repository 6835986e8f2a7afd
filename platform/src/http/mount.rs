//! Mounting routes. Whoever mounts gets a [`Mount`] and nothing else, so that the list of what it has
//! can neither lack a route nor have one that is not there: a router cannot be asked.

use std::any::type_name;

use actix_web::dev::HttpServiceFactory;
use actix_web::http::Method;
use actix_web::web::{self, Data, ServiceConfig};
use actix_web::{App, FromRequest, Handler, Resource, Responder, Route, Scope};

/// One route as it was mounted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mounted {
    /// The whole path.
    pub path: String,
    /// The method, or `any`.
    pub method: String,
    /// The types of what its gate and its handler ask of a request: who may call is among them.
    pub takes: String,
}

/// A handler and the method it answers.
pub struct Served {
    /// None for what answers all methods that no other handler of the path does.
    method: Option<Method>,
    route: Route,
    takes: &'static str,
}

impl Served {
    /// The same with something around it.
    #[must_use]
    pub fn around(mut self, wrap: impl FnOnce(Route) -> Route) -> Self {
        self.route = wrap(self.route);
        self
    }

    /// The method; none for all that are left.
    pub fn method(&self) -> Option<&Method> {
        self.method.as_ref()
    }
}

fn served<F, Args>(method: Option<Method>, handler: F) -> Served
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    let route = match &method {
        Some(method) => web::method(method.clone()),
        None => web::route(),
    };
    Served {
        route: route.to(handler),
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
            served(Some(Method::$method), handler)
        }
    )+};
}

methods!(get GET, head HEAD, post POST, put PUT, patch PATCH, delete DELETE);

/// Answers every method that no other handler of the path does.
pub fn any<F, Args>(handler: F) -> Served
where
    F: Handler<Args>,
    Args: FromRequest + 'static,
    F::Output: Responder + 'static,
{
    served(None, handler)
}

/// A part of a router that is being made, and the list of what it has.
pub struct Mount<'m> {
    config: &'m mut ServiceConfig,
    prefix: String,
    mounted: &'m mut Vec<Mounted>,
}

impl Mount<'_> {
    /// Mounts `routes` below this prefix, and tells what that was.
    pub fn below(
        prefix: &str,
        config: &mut ServiceConfig,
        routes: impl FnOnce(&mut Mount<'_>),
    ) -> Vec<Mounted> {
        let mut mounted = Vec::new();
        let mut top = Mount {
            config,
            prefix: String::new(),
            mounted: &mut mounted,
        };
        if prefix.is_empty() {
            routes(&mut top);
        } else {
            top.scope(prefix, routes, |scope| scope);
        }
        mounted
    }

    /// What [`Self::below`] would mount.
    pub fn list(prefix: &str, routes: impl FnOnce(&mut Mount<'_>)) -> Vec<Mounted> {
        let mut mounted = Vec::new();
        let _ = App::new().configure(|config| mounted = Mount::below(prefix, config, routes));
        mounted
    }

    /// What handlers and gates of this part find as `Data<T>`.
    pub fn data<T: ?Sized + 'static>(&mut self, data: Data<T>) {
        self.config.app_data(data);
    }

    /// Handlers of a path, and what all other methods get.
    pub fn resource(
        &mut self,
        path: &str,
        handlers: impl IntoIterator<Item = Served>,
        otherwise: Route,
    ) {
        self.gated::<(), _>(path, handlers, || otherwise, |resource| resource);
    }

    /// The same behind a gate of this type: `wrap` puts it around the path.
    pub fn gated<G, F: HttpServiceFactory + 'static>(
        &mut self,
        path: &str,
        handlers: impl IntoIterator<Item = Served>,
        otherwise: impl FnOnce() -> Route,
        wrap: impl FnOnce(Resource) -> F,
    ) {
        let (mut resource, mut any) = (web::resource(path), None);
        for served in handlers {
            let method = served.method.as_ref().map_or("any", Method::as_str);
            self.mounted.push(Mounted {
                path: format!("{}{path}", self.prefix),
                method: method.to_owned(),
                takes: format!("{} {}", type_name::<G>(), served.takes),
            });
            if served.method.is_some() {
                resource = resource.route(served.route);
            } else {
                any = Some(served.route);
            }
        }
        let otherwise = any.unwrap_or_else(otherwise);
        self.config
            .service(wrap(resource.default_service(otherwise)));
    }

    /// Everything below a prefix. `finish` puts around it what all of it has in common, and says what
    /// is answered where it has no route.
    pub fn scope<F: HttpServiceFactory + 'static>(
        &mut self,
        prefix: &str,
        routes: impl FnOnce(&mut Mount<'_>),
        finish: impl FnOnce(Scope) -> F,
    ) {
        let whole = format!("{}{prefix}", self.prefix);
        let mounted = &mut *self.mounted;
        let scope = web::scope(prefix).configure(|config| {
            routes(&mut Mount {
                config,
                prefix: whole,
                mounted,
            });
        });
        self.config.service(finish(scope));
    }
}
