import { useLocation, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { usePhoneSignIn } from '../../data/session.ts'
import { Entrance } from './entrance.tsx'
import { ToOther } from './to-other.tsx'

/** The code of the address, which leaves it at once: it is not in the history of the browser. */
const useCode = (): string => {
  const hash = useLocation({ select: ({ hash }) => hash })
  const [code, setCode] = useState(hash)
  const navigate = useNavigate()
  useEffect(() => {
    if (hash === '') return
    setCode(hash)
    void navigate({ to: '/sign-in/phone', hash: '', replace: true })
  }, [hash, navigate])
  return code
}

/** The page behind a scanned sign-in link. It signs in only when the button is pressed: the link may come from someone else. */
export const Phone = (): ReactNode => {
  const code = useCode()
  return code === '' ? <NoCode /> : <SignIn key={code} code={code} />
}

const NoCode = () => (
  <Entrance
    title="No sign-in code"
    hint="Scan the code again. It is under Settings, Devices on the device where you are signed in."
    foot={<ToOther to="/login">Sign in another way</ToOther>}
  >
    {null}
  </Entrance>
)

const SignIn = ({ code }: { code: string }) => {
  const { mutate, error, isPending } = usePhoneSignIn()
  return (
    <Entrance
      title={error ? 'Not signed in' : 'Sign in on your phone'}
      hint="You will be signed in as the person who created this code. Continue only if you scanned it yourself."
      foot={<ToOther to="/login">Sign in another way</ToOther>}
    >
      <Refusal error={error} />
      <Button
        kind="primary"
        needsService
        disabled={isPending}
        className="h-9 justify-center"
        onClick={() => mutate(code, { onSuccess: () => location.replace('/') })}
      >
        Sign in on this phone
      </Button>
    </Entrance>
  )
}
