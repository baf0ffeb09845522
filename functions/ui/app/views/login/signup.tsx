import { type ReactNode, useEffect } from 'react'
import { Empty } from '../../components/empty.tsx'
import { useSessionStatus } from '../../data/session.ts'
import { Entrance } from './entrance.tsx'
import { FIRST_HINT, FIRST_TITLE, isOfFirst, SignupForm } from './signup-form.tsx'
import { ToOther } from './to-other.tsx'
import { useWayBack } from './way-back.ts'

export const Signup = (): ReactNode => {
  const { data } = useSessionStatus()
  const { goBack } = useWayBack()
  const isIn = data?.authenticated === true
  useEffect(() => {
    if (isIn) goBack()
  })
  const isFirst = isOfFirst(data)
  const isOffered = data === undefined || data.authMode === 'cloud'
  return (
    <Entrance
      title={isFirst ? FIRST_TITLE : 'Sign up'}
      hint={isFirst && FIRST_HINT}
      foot={!isFirst && <ToOther to="/login">Have an account? Sign in</ToOther>}
    >
      {isOffered ? (
        <SignupForm isFirst={isFirst} />
      ) : (
        <Empty title="Sign-up is not available">
          {data.authMode === 'oidc'
            ? 'Your account is created when you first sign in with single sign-on.'
            : 'Anyone with the access key is the admin of this installation.'}
        </Empty>
      )}
    </Entrance>
  )
}
