import type { ReactNode } from 'react'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Panel } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { LinkedAccounts } from './linked-accounts.tsx'
import { OwnBudget } from './month-budgets.tsx'
import { ProfileForm } from './profile-form.tsx'

export const Profile = (): ReactNode => {
  const user = useMe()
  return (
    <>
      <Panel title="Profile">
        {user ? <ProfileForm user={user} /> : <SkeletonRows count={9} />}
        <div className="px-3.5 pb-3.5 empty:hidden">
          <OwnBudget />
        </div>
      </Panel>
      {user && <LinkedAccounts linked={user.connectedAccounts} />}
    </>
  )
}
