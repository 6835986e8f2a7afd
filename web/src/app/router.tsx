/** The route table: which address shows which screen, behind which guard. */
import { lazy } from 'react';
import { Navigate, type RouteObject } from 'react-router-dom';
import { paths } from '@/config/paths';
import { loadOrReload } from '@/lib/lazy-screen';
import { RequireAuth } from './guards/require-auth';
import { screens } from './screens';
import { PublicLayout } from './shell/public-layout';
import { Root } from './shell/root';
import { RouteCrash } from './shell/route-crash';

const AppLayout = lazy(() => loadOrReload(() => import('./shell/app-layout')));

const publicScreens: RouteObject[] = [
  { path: paths.landing.path, element: <screens.landing /> },
  { path: paths.waitlist.path, element: <screens.waitlist /> },
  { path: paths.signIn.path, element: <screens.signIn /> },
  { path: paths.signUp.path, element: <screens.signUp /> },
  { path: paths.magic.path, element: <screens.passwordless /> },
  { path: paths.authCallback.path, element: <screens.authCallback /> },
  { path: paths.authConfirm.path, element: <screens.authCallback /> },
  { path: paths.terms.path, element: <screens.terms /> },
  { path: paths.privacy.path, element: <screens.privacy /> },
];

const appScreens: RouteObject[] = [
  { path: paths.dashboard.path, element: <screens.dashboard /> },
  { path: paths.prompts.path, element: <screens.promptList /> },
  { path: paths.promptNew.path, element: <screens.promptNew /> },
  { path: paths.prompt.path, element: <screens.promptDetail /> },
  { path: paths.promptEdit.path, element: <screens.promptEdit /> },
  { path: paths.promptVersions.path, element: <screens.promptVersions /> },
  { path: paths.promptVersion.path, element: <screens.promptVersion /> },
  { path: paths.promptCompare.path, element: <screens.promptCompare /> },
  { path: paths.playground.path, element: <screens.playground /> },
  { path: paths.repository.path, element: <Navigate to={paths.prompts.getHref()} replace /> },
];

/** A crash inside a layout leaves its navigation standing. */
const guarded = (children: RouteObject[]): RouteObject => ({
  errorElement: <RouteCrash />,
  children,
});

export const routes: RouteObject[] = [
  {
    element: <Root />,
    errorElement: <RouteCrash />,
    children: [
      { element: <PublicLayout />, children: [guarded(publicScreens)] },
      {
        element: <RequireAuth />,
        children: [{ element: <AppLayout />, children: [guarded(appScreens)] }],
      },
      // The waitlist gate in Root, when it is on, has caught signed-out visitors before this.
      { path: '*', element: <Navigate to={paths.landing.getHref()} replace /> },
    ],
  },
];
