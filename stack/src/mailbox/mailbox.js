// Keeps the list fresh, copies codes and links, deletes, and fits the frame to the mail.
const rows = document.getElementById('rows');
const status = document.getElementById('status');
const open = location.pathname.startsWith('/message/') ? location.pathname.split('/')[2] : null;

const say = (text) => {
  status.textContent = text;
};

const fingerprint = (root) => {
  const bar = root.querySelector('.bar');
  return bar ? JSON.stringify({ ...bar.dataset }) : '';
};

// Whole rows come from the server, so there is one template for them.
async function refresh() {
  const response = await fetch('/list' + (open ? `?id=${encodeURIComponent(open)}` : ''));
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (fingerprint(page) === fingerprint(rows)) return;
  const focused = document.activeElement?.getAttribute?.('href');
  const grew = Number(page.querySelector('.bar').dataset.total) > Number(rows.querySelector('.bar').dataset.total);
  rows.replaceChildren(...page.body.childNodes);
  if (focused) rows.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  if (grew) say('New mail');
}

async function poll() {
  if (!document.hidden) {
    try {
      await refresh();
    } catch {
      // The server restarts; the next round asks again.
    }
  }
  setTimeout(poll, 2000);
}
setTimeout(poll, 2000);

async function remove(id) {
  if (!id && !confirm('Delete all mails?')) return;
  const body = JSON.stringify({ IDs: id ? [id] : [] });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch('/api/v1/messages', { method: 'DELETE', headers, body });
  if (response.ok) location.assign('/');
  else say('The mail could not be deleted');
}

async function copy(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
  } catch {
    say('Copying is not allowed here; select the text instead');
    return;
  }
  const label = button.textContent;
  button.textContent = 'Copied';
  say('Copied');
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  if (button.dataset.copy !== undefined) void copy(button);
  if (button.dataset.delete !== undefined) void remove(button.dataset.delete);
});

const frame = document.querySelector('iframe');
const fit = () => {
  const height = frame.contentDocument?.documentElement?.scrollHeight;
  if (height) frame.style.height = `${height + 2}px`;
};
if (frame) {
  frame.addEventListener('load', fit);
  fit();
}
