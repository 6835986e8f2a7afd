/** Every screen, loaded when first shown (or when a link to it is hovered). */
import { lazyScreen } from '@/lib/lazy-screen';

export const screens = {
  landing: lazyScreen(() => import('./routes/landing')),
  waitlist: lazyScreen(() => import('./routes/waitlist')),
  signIn: lazyScreen(() => import('./routes/sign-in')),
  signUp: lazyScreen(() => import('./routes/sign-up')),
  passwordless: lazyScreen(() => import('./routes/passwordless')),
  authCallback: lazyScreen(() => import('./routes/auth-callback')),
  terms: lazyScreen(() => import('./routes/terms')),
  privacy: lazyScreen(() => import('./routes/privacy')),
  dashboard: lazyScreen(() => import('./routes/dashboard')),
  promptList: lazyScreen(() => import('./routes/prompts/list')),
  promptNew: lazyScreen(() => import('./routes/prompts/new')),
  promptDetail: lazyScreen(() => import('./routes/prompts/detail')),
  promptEdit: lazyScreen(() => import('./routes/prompts/edit')),
  promptVersions: lazyScreen(() => import('./routes/prompts/versions')),
  promptVersion: lazyScreen(() => import('./routes/prompts/version')),
  promptCompare: lazyScreen(() => import('./routes/prompts/compare')),
  playground: lazyScreen(() => import('./routes/playground')),
};
