import type * as z from 'zod'
import { missing } from '../core/errors.ts'
import { networkOf } from '../core/network.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Guesses } from './guesses.ts'
import { pairingUrl, qrSvg } from './qr.ts'
import type { Requester, Requests } from './requests.ts'
import type { PairingRow } from './rows.ts'
import type { PairingRequestSchema, PairingState } from './schema.ts'

/** A device that scans a QR code names itself to no user. */
const SCANNED = 'qr'

type Needs = {
  requests: Requests
  guesses: Guesses
  tokenOf: (approved: PairingRow) => Promise<string | undefined>
  clock: Clock
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}
/** The user who enters a code, and from where. */
export type Approver = { principal: Principal; address: string }

/** How a device comes to act for a user: it asks, shows a code, and the user enters that. */
export const createPairing = ({ requests, guesses, tokenOf, clock, audit }: Needs) => {
  const request = (requester: Requester) => requests.create(requester)

  /** A request whose code is in a QR code, with the address that the scanner is to take it to. */
  const qr = async ({ address, baseUrl }: { address: string; baseUrl: string }) => {
    // An address that cannot be told must not cost a place.
    pairingUrl('', baseUrl)
    const { code, requestId, expiresAt } = await requests.create({ requesterId: SCANNED, address })
    const url = pairingUrl(code, baseUrl)
    return { qrSvg: await qrSvg(url), pairingUrl: url, requestId, expiresAt }
  }

  /** Counts a code that is about to be entered, malformed ones too. Throws Problem `rate_limited`. */
  const countCode = (approver: Approver) => guesses.count(keysOf(approver))

  /** Lets the device act for the caller. Throws Problem `missing` for a wrong, used or expired code. */
  const approve = async ({ principal, address }: Approver, code: string) => {
    const { userId } = principal
    const approvedAt = iso(clock.now())
    const row = await guesses.found(keysOf({ principal, address }), () =>
      requests.decide(code, { status: 'approved', approvedAt, approvedBy: userId }),
    )
    await audit(principal, 'device.approve', named(row))
    return shown(row)
  }

  const shown = (row: PairingRow): z.input<typeof PairingRequestSchema> => {
    const { id, requesterId, meta, address, createdAt, expiresAt, approvedAt, approvedBy } = row
    return {
      ...{ id, requesterId, status: requests.statusOf(row), address, createdAt, expiresAt },
      ...(meta === undefined ? {} : { meta }),
      ...(approvedAt === undefined ? {} : { approvedAt }),
      ...(approvedBy === undefined ? {} : { approvedBy }),
    }
  }

  /** Refuses the device. Throws Problem `missing` as `approve` does. */
  const reject = async ({ principal, address }: Approver, code: string, reason: string | undefined) => {
    const row = await guesses.found(keysOf({ principal, address }), () =>
      requests.decide(code, { status: 'rejected', ...(reason === undefined ? {} : { reason }) }),
    )
    await audit(principal, 'device.reject', named(row))
  }

  /** How a request stands, for its device; the token is there until the request expires. */
  const status = async (requestId: string): Promise<PairingState> => {
    const row = await requests.find(requestId)
    if (row === undefined) throw missing('Pairing request')
    const { approvedAt, reason } = row
    const known = {
      status: requests.statusOf(row),
      ...(approvedAt === undefined ? {} : { approvedAt }),
      ...(reason === undefined ? {} : { reason }),
    }
    if (row.status !== 'approved' || Date.parse(row.expiresAt) <= clock.now()) return known
    const token = await tokenOf(row)
    if (token === undefined) throw missing('Pairing request')
    return { ...known, token }
  }

  return { countRequest: requests.count, request, qr, countCode, approve, reject, status, shown }
}

/** Wrong codes count for the user, however many sessions, and for the address, however many users. */
const keysOf = ({ principal: { userId }, address }: Approver) => [
  `user:${userId}`,
  `address:${networkOf(address)}`,
]

const named = ({ id, requesterId }: PairingRow) => ({ id, requesterId })
