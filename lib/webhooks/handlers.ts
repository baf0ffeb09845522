import { toTrace } from '../core/trace.ts'
import type { Handlers } from '../http/route.ts'
import type { inboundRoutes } from './contract.ts'
import type { Inbound } from './service.ts'

export const inboundHandlers = ({ inbound }: { inbound: Inbound }): Handlers<typeof inboundRoutes> => ({
  codehostEvent: (_input, call) => inbound.receive('codehost', call, toTrace(call)),
  trackeraEvent: (_input, call) => inbound.receive('trackera', call, toTrace(call)),
  trackerbEvent: (_input, call) => inbound.receive('trackerb', call, toTrace(call)),
  webhookStatus: () => inbound.status(),
})
