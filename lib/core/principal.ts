/** Who is calling: the user, and what the user may do. `local` is the one person of a local installation without a key. */
export type Principal = { userId: string; role: 'user' | 'admin' }

export const LOCAL_ADMIN: Principal = Object.freeze({ userId: 'local', role: 'admin' })
