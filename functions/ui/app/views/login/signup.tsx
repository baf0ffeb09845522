import { type ReactNode, useEffect } from 'react'
import { Empty } from '../../components/empty.tsx'
import { useSessionStatus } from '../../data/session.ts'
import { Entrance } from './entrance.tsx'
import { SignupForm } from './signup-form.tsx'
import { ToOther } from './to-other.tsx'
import { useWayBack } from './way-back.ts'

export const Signup = (): ReactNode => {
  const { data } = useSessionStatus()
  const { goBack } = useWayBack()
  const isIn = data?.authenticated === true
  useEffect(() => {
    if (isIn) goBack()
  })
  const isOffered = data === undefined || data.authMode === 'cloud'
  return (
    <Entrance
      title="Sign up"
      hint={isOffered && 'The first account needs no invite and becomes the admin.'}
      foot={<ToOther to="/login">Have an account? Sign in</ToOther>}
    >
      {isOffered ? (
        <SignupForm />
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
