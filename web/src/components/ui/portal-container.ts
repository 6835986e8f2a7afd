/** Menus and tooltips open inside the page's main landmark, where screen readers look for them. */
export const portalContainer = () => document.getElementById('main');
