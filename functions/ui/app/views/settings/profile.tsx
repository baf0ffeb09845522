import type { ReactNode } from 'react'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { LinkedAccounts } from './linked-accounts.tsx'
import { ProfileForm } from './profile-form.tsx'

export const Profile = (): ReactNode => {
  const user = useMe()
  return (
    <>
      <Panel title="Profile" aside={user && <Tag>{user.role === 'admin' ? 'Admin' : 'User'}</Tag>}>
        {user ? <ProfileForm user={user} /> : <SkeletonRows count={9} />}
      </Panel>
      {user && <LinkedAccounts linked={user.connectedAccounts} />}
    </>
  )
}
