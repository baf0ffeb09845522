import type { Handlers } from '../http/route.ts'
import type { alertRoutes } from './contract.ts'
import type { Alerts } from './service.ts'

type Needs = {
  alerts: Pick<Alerts, 'list' | 'subscribe' | 'unsubscribe' | 'test' | 'setEmail' | 'testEmail'>
}

export const alertHandlers = ({ alerts }: Needs): Handlers<typeof alertRoutes> => ({
  listPushSubscriptions: (_input, { principal }) => alerts.list(principal),
  createPushSubscription: async ({ body }, { principal }) => ({
    subscription: await alerts.subscribe(principal, body),
  }),
  deletePushSubscription: async ({ params }, { principal }) => {
    await alerts.unsubscribe(principal, params.id)
    return { message: 'Notifications turned off in this browser' }
  },
  testPushSubscription: ({ params }, { principal }) => alerts.test(principal, params.id),
  setEmailAlerts: async ({ body }, { principal }) => ({
    email: await alerts.setEmail(principal, body.topics),
  }),
  testEmailAlerts: (_input, { principal }) => alerts.testEmail(principal),
})
