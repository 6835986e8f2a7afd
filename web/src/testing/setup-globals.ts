/**
 * What browsers have and jsdom lacks. Runs before each test file, ahead of any import of the app.
 */
import { webcrypto } from 'node:crypto';

// Without WebCrypto auth-js silently falls back to PKCE `plain`.
Object.defineProperty(globalThis, 'crypto', { value: webcrypto, configurable: true });

// auth-js opens a channel that would keep the Jest process alive for ever.
const NodeBroadcastChannel = globalThis.BroadcastChannel as
  (new (name: string) => BroadcastChannel & { unref?: () => void }) | undefined;
if (NodeBroadcastChannel) {
  globalThis.BroadcastChannel = class extends NodeBroadcastChannel {
    constructor(name: string) {
      super(name);
      this.unref?.();
    }
  };
}

class LayoutObserver {
  observe(): void {
    // jsdom has no layout, so there is never anything to report.
  }
  unobserve(): void {
    // See observe.
  }
  disconnect(): void {
    // See observe.
  }
}

globalThis.ResizeObserver ??= LayoutObserver;
globalThis.IntersectionObserver ??= LayoutObserver as unknown as typeof IntersectionObserver;
Element.prototype.scrollIntoView ??= () => undefined;
Element.prototype.hasPointerCapture ??= () => false;
Element.prototype.setPointerCapture ??= () => undefined;
Element.prototype.releasePointerCapture ??= () => undefined;
window.scrollTo = () => undefined;
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;
Range.prototype.getBoundingClientRect ??= () => new DOMRect();

window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    onchange: null,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    addListener: () => undefined,
    removeListener: () => undefined,
    dispatchEvent: () => false,
  }) as MediaQueryList;
