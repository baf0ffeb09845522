import { toTrace } from '../core/trace.ts'
import { admitting, type Handlers, Reply } from '../http/route.ts'
import type { gatewayRoutes } from './contract.ts'
import { toRequestId } from './rows.ts'
import { type Gateway, outcomeFields } from './service.ts'

export const gatewayHandlers = ({ gateway }: { gateway: Gateway }): Handlers<typeof gatewayRoutes> => ({
  submitRequest: admitting(
    ({ principal }) => gateway.count(principal),
    async ({ body, headers }, call) => {
      const { synchronous, timeout } = body.options
      const submitted = await gateway.submit(call.principal, body, headers['idempotency-key'], toTrace(call))
      const { taskId, replayed } = submitted
      const more = replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}
      const requestId = toRequestId(taskId)
      const task = synchronous ? await gateway.waitFor(taskId, timeout, call.gone()) : undefined
      const status = task?.status ?? submitted.status
      if (task?.completedAt !== undefined)
        return new Reply({ requestId, taskId, status, ...outcomeFields(task) }, { ...more, status: 200 })
      return new Reply({ requestId, taskId, status, statusUrl: `/api/gateway/${requestId}/status` }, more)
    },
  ),
  requestStatus: ({ params }, { principal }) => gateway.status(principal, params.requestId),
})
