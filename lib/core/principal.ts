export type Role = 'user' | 'admin'

/**
 * Who is calling, and what that one may do. `sessionId` is there when a session says so, `tokenId` when an API token
 * does: then `userId` is the user who made the token, and `callsPerMinute` the token's own limit where it has one.
 */
export type Principal = {
  userId: string
  role: Role
  sessionId?: string
  tokenId?: string
  callsPerMinute?: number
}

/** Who did something, as it is put on record. */
export type Actor = Pick<Principal, 'userId'>

/** The one person of an installation in local mode. */
export const LOCAL_USER = 'local'
export const LOCAL_ADMIN: Principal = Object.freeze({ userId: LOCAL_USER, role: 'admin' })
/** The local admin in person: not a program that holds one of the admin's API tokens. */
export const isLocalAdmin = ({ userId, role, tokenId }: Principal): boolean =>
  userId === LOCAL_USER && role === 'admin' && tokenId === undefined
export const ANONYMOUS: Principal = Object.freeze({ userId: 'anonymous', role: 'user' })

const WEBHOOK = 'webhook:'
/** The creator of tasks that events of a sender make. It has the form of no user's id. */
export const webhookCreator = (sender: string): string => WEBHOOK + sender
export const isWebhookCreator = (userId: string): boolean => userId.startsWith(WEBHOOK)
