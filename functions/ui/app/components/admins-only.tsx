import type { ReactNode } from 'react'
import { useMe } from '../data/me.ts'
import { Empty } from './empty.tsx'
import { SkeletonRows } from './skeleton.tsx'

/** Children are mounted for admins only, so that nothing is requested for other users. */
export const AdminsOnly = ({ what, children }: { what: string; children: ReactNode }) => {
  const user = useMe()
  if (!user) return <SkeletonRows />
  if (user.role === 'admin') return children
  return <Empty title={`${what} for admins`}>You are signed in as {user.email}. Ask an admin.</Empty>
}
