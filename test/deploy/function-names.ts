/** The functions that serve requests; `ui` is the page. A new function is listed here once, for all tests of the deployment. */
export const HTTP_FUNCTIONS = [
  ...[
    'tasks',
    'queue',
    'bulk',
    'agents',
    'notifications',
    'auth',
    'devices',
    'settings',
    'gateway',
    'runners',
  ],
  ...['webhooks', 'integrations', 'outbound', 'schedules', 'chat', 'memory', 'security', 'health', 'openapi'],
  'ui',
]

/** The functions that queues, streams and schedules start. */
export const JOB_FUNCTIONS = ['worker', 'notify', 'dlq', 'stream', 'tick']

/** Every function; `agentic` is the one that streams. */
export const FUNCTIONS = [...HTTP_FUNCTIONS, ...JOB_FUNCTIONS, 'agentic']
