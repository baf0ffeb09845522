import { createDevices } from '../devices/service.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Entry, EntryPorts } from './entry.ts'

/** Devices, whose tokens are sessions. */
export const joinDevices = ({ sessions, limiter, audit }: Entry, ports: EntryPorts & { cipher: Cipher }) =>
  createDevices({
    ...ports,
    limiter,
    draftSession: sessions.draft,
    closeSession: sessions.close,
    audit: audit.record,
  })
