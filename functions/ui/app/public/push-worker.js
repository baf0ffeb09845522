/*
 * Shows the messages of the service. It decides about a call with the session of this browser, as the page does: a message
 * has no secret that could decide elsewhere.
 */
const ACTIONS = {
  'allow or deny': [
    { action: 'deny', title: 'Deny' },
    { action: 'allow-once', title: 'Allow once' },
  ],
  deny: [
    { action: 'deny', title: 'Deny' },
    { action: 'open', title: 'Review' },
  ],
}

const show = ({ title, body, url, tag, approvalId, decides }) =>
  self.registration.showNotification(title, {
    body,
    tag,
    icon: '/icon.png',
    actions: ACTIONS[decides] ?? [],
    data: { url, approvalId },
  })

/** Opens an address of the page in an open tab, which keeps what is typed there, or in a new one. */
const openPage = async (url) => {
  const [tab] = await self.clients.matchAll({ type: 'window' })
  if (tab === undefined) return self.clients.openWindow(url)
  await tab.focus()
  tab.postMessage({ open: url })
}

const decide = async ({ url, approvalId }, decision) => {
  const answer = await fetch(`/api/security/approvals/${encodeURIComponent(approvalId)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decision }),
  }).catch(() => undefined)
  // Signed out, decided elsewhere, or no answer: the page says which.
  if (!answer?.ok) await openPage(url)
}

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
self.addEventListener('push', (event) => {
  if (event.data) event.waitUntil(show(event.data.json()))
})
self.addEventListener('notificationclick', (event) => {
  const { action, notification } = event
  notification.close()
  const isDecision = action === 'allow-once' || action === 'deny'
  event.waitUntil(isDecision ? decide(notification.data, action) : openPage(notification.data.url))
})
