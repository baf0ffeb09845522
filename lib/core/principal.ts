export type Role = 'user' | 'admin'

/** The caller and its rights. A session sets `sessionId`, an API token `tokenId`, with the `userId` of its owner. */
export type Principal = {
  userId: string
  role: Role
  sessionId?: string
  tokenId?: string
  callsPerMinute?: number
}

export type Actor = Pick<Principal, 'userId'>

/** The user id of the only person in local mode. */
export const LOCAL_USER = 'local'
export const LOCAL_ADMIN: Principal = Object.freeze({ userId: LOCAL_USER, role: 'admin' })
/** Whether the local admin is calling in person, and not a program with one of the admin's API tokens. */
export const isLocalAdmin = ({ userId, role, tokenId }: Principal): boolean =>
  userId === LOCAL_USER && role === 'admin' && tokenId === undefined
export const ANONYMOUS: Principal = Object.freeze({ userId: 'anonymous', role: 'user' })

const WEBHOOK = 'webhook:'
/** The creator of tasks that events of a sender make. No id of a user has this form. */
export const webhookCreator = (sender: string): string => WEBHOOK + sender
export const isWebhookCreator = (userId: string): boolean => userId.startsWith(WEBHOOK)
