import { type ReactNode, useEffect } from 'react'
import { Refusal } from '../../components/refusal.tsx'
import { usePhoneSignIn } from '../../data/session.ts'
import { Entrance } from './entrance.tsx'
import { ToOther } from './to-other.tsx'

/** Once in a page: effects may run twice. */
let taken: string | undefined

/** The code of the address, which leaves it at once: it is not in the history of the browser. */
const takeCode = (): string => {
  taken ??= location.hash.slice(1)
  history.replaceState(history.state, '', location.pathname)
  return taken
}

/** What a scanned link opens: it signs in, and goes to the first page. */
export const Phone = (): ReactNode => {
  const { mutate, error, isIdle } = usePhoneSignIn()
  useEffect(() => {
    if (isIdle) mutate(takeCode(), { onSuccess: () => location.replace('/') })
  }, [mutate, isIdle])
  return (
    <Entrance
      title={error ? 'Not signed in' : 'Signing in…'}
      foot={<ToOther to="/login">{error ? 'Sign in another way' : 'Back to sign-in'}</ToOther>}
    >
      {error && <Refusal error={error} />}
    </Entrance>
  )
}
