import { type ReactNode, useEffect, useState } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { Problem } from '../../components/problem.tsx'
import { Skeleton } from '../../components/skeleton.tsx'
import { wayTo } from '../../data/providers.ts'
import { useSessionStatus } from '../../data/session.ts'
import { AccessKeyForm } from './access-key-form.tsx'
import { Entrance } from './entrance.tsx'
import { failureText, wantsInvite } from './failures.ts'
import { InviteField } from './invite-field.tsx'
import { PasswordForm } from './password-form.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { FIRST_HINT, FIRST_TITLE, isOfFirst, SignupForm } from './signup-form.tsx'
import { ToOther } from './to-other.tsx'
import { useAsked, useWayBack } from './way-back.ts'

export const Login = (): ReactNode => {
  const { data, error, refetch } = useSessionStatus()
  const asked = useAsked()
  const { goBack, path } = useWayBack()
  const isIn = data?.authenticated === true
  const words = failureText(asked.error)
  const isFirst = isOfFirst(data)
  // A signed-in user stays only to read an error.
  useEffect(() => {
    if (isIn && words === undefined) goBack()
  })
  return (
    <Entrance
      title={titleFor({ isIn, isFirst })}
      hint={isFirst && FIRST_HINT}
      foot={
        data?.authMode === 'cloud' &&
        !isIn &&
        !isFirst && <ToOther to="/signup">No account yet? Sign up</ToOther>
      }
    >
      {words && (
        <p role="alert" className="rounded-md border border-failed/40 bg-failed/8 px-3 py-2 text-destructive">
          {words}
        </p>
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {isIn && (
        <a href={path} className={`${buttonClass({ kind: 'primary' })} justify-center`}>
          Continue
        </a>
      )}
      {isFirst && <SignupForm isFirst />}
      {!isIn && !isFirst && !error && <Way mode={data?.authMode} />}
    </Entrance>
  )
}

const titleFor = ({ isIn, isFirst }: { isIn: boolean; isFirst: boolean }) => {
  if (isIn) return 'You are signed in'
  return isFirst ? FIRST_TITLE : 'Sign in'
}

const Way = ({ mode }: { mode: 'local' | 'cloud' | 'oidc' | undefined }) => {
  if (mode === undefined) return <Loading />
  if (mode === 'local') return <AccessKeyForm />
  return mode === 'oidc' ? <Issuer /> : <Accounts />
}

const Loading = () => (
  <div role="status" aria-label="Loading" className="flex flex-col gap-3">
    <Skeleton className="h-13 w-full" />
    <Skeleton className="h-13 w-full" />
    <Skeleton className="h-9 w-full" />
  </div>
)

const useInvite = () => {
  const { error, invite: given = '' } = useAsked()
  const [invite, setInvite] = useState(given)
  return { invite, setInvite, isWanted: given !== '' || wantsInvite(error) }
}

const Issuer = () => {
  const { invite, setInvite, isWanted } = useInvite()
  return (
    <>
      <a href={wayTo('oidc', invite)} className={`${buttonClass({ kind: 'primary' })} h-9 justify-center`}>
        Continue with single sign-on
      </a>
      <InviteField invite={invite} setInvite={setInvite} isOpen={isWanted} />
    </>
  )
}

const Accounts = () => {
  const { invite, setInvite, isWanted } = useInvite()
  return (
    <>
      <PasswordForm />
      <ProviderButtons invite={invite}>
        <InviteField invite={invite} setInvite={setInvite} isOpen={isWanted} />
      </ProviderButtons>
    </>
  )
}
