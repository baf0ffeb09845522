type Words = { label: string; hint?: string }

/** The groups of the installation's settings, in their order. */
export const groups = {
  system: 'Sign-in',
  queue: 'Queues',
  retry: 'Retries of tasks',
  webhooks: 'Outbound webhooks',
} as const

/** What settings are called. One that is not here is shown under its own name. */
export const words: Readonly<Record<string, Words>> = {
  'system.authMode': {
    label: 'How people sign in',
    hint: 'Changes at once, for everybody. Be sure that you can get in the other way.',
  },
  'system.registrationMode': { label: 'Who may register', hint: 'The first account needs no invite.' },
  'queue.name': { label: 'Queue of tasks' },
  'queue.notificationName': { label: 'Queue of notifications' },
  'queue.concurrency': { label: 'Tasks at once' },
  'queue.notificationConcurrency': { label: 'Notifications at once' },
  'retry.attempts': { label: 'Attempts', hint: 'The first one included.' },
  'retry.backoff': { label: 'Wait before a retry (ms)' },
  'retry.type': { label: 'How the wait grows' },
  'webhooks.retryDelaysMs': {
    label: 'Waits before each retry (ms)',
    hint: 'Five of them, with commas in between.',
  },
}
