import { createDevices } from '../devices/service.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { AuthContext, AuthPorts } from './auth-context.ts'

/** Devices, whose tokens are sessions. */
export const joinDevices = (
  { sessions, limiter, audit }: AuthContext,
  ports: AuthPorts & { cipher: Cipher },
) =>
  createDevices({
    ...ports,
    limiter,
    draftSession: sessions.draft,
    closeSession: sessions.close,
    audit: audit.record,
  })
