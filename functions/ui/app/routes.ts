import { rootRoute } from './shell/root-route.ts'
import { settingsRoute } from './shell/settings-route.ts'
import { agentsRoute } from './views/agents/route.ts'
import { auditRoute } from './views/audit/route.ts'
import { bulkJobsRoute, bulkRoute } from './views/bulk/route.ts'
import { chatRoute, conversationRoute, sessionRoute } from './views/chat/route.ts'
import { devicesRoute } from './views/devices/route.ts'
import { docsRoute } from './views/docs/route.ts'
import { failuresRoute } from './views/failures/route.ts'
import { healthRoute } from './views/health/route.ts'
import { approvalsRoute, inboxRoute, notificationsRoute } from './views/inbox/route.ts'
import { loginRoute, phoneRoute, resetRoute, signupRoute } from './views/login/route.ts'
import { memoryRoute } from './views/memory/route.ts'
import { overviewRoute } from './views/overview/route.ts'
import { queueRoute } from './views/queue/route.ts'
import { schedulesRoute } from './views/schedules/route.ts'
import { securityRoute } from './views/security/route.ts'
import { settingsFormsRoute, settingsIndexRoute } from './views/settings/route.ts'
import { startRoute } from './views/start/route.ts'
import { taskRoute } from './views/task/route.ts'
import { tasksRoute } from './views/tasks/route.ts'
import { newWebhookRoute, webhookRoute, webhooksRoute } from './views/webhooks/route.ts'

/** A view is a folder with a `route.ts`; its code loads when it is first opened. */
export const routeTree = rootRoute.addChildren([
  startRoute,
  inboxRoute,
  overviewRoute,
  tasksRoute,
  taskRoute,
  loginRoute,
  signupRoute,
  resetRoute,
  phoneRoute,
  settingsRoute.addChildren([
    settingsIndexRoute,
    settingsFormsRoute,
    webhooksRoute,
    newWebhookRoute,
    webhookRoute,
    devicesRoute,
    securityRoute,
    auditRoute,
    healthRoute,
  ]),
  queueRoute,
  failuresRoute,
  bulkJobsRoute,
  bulkRoute,
  agentsRoute,
  docsRoute,
  notificationsRoute,
  memoryRoute,
  approvalsRoute,
  schedulesRoute,
  chatRoute,
  conversationRoute,
  sessionRoute,
])
