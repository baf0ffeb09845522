import type { ReactNode } from 'react'
import { EmailField, PasswordField } from '../../components/account-fields.tsx'
import { Button } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { useResetPassword, useSessionStatus } from '../../data/session.ts'
import { Entrance } from './entrance.tsx'
import { ToOther } from './to-other.tsx'
import { useWayBack } from './way-back.ts'

const FIELDS = ['email', 'code', 'newPassword']

export const Reset = (): ReactNode => {
  const { data } = useSessionStatus()
  const isOffered = data === undefined || data.authMode === 'cloud'
  return (
    <Entrance
      title="Reset password"
      hint={isOffered && 'Ask an admin for a reset code. It works once, within an hour.'}
      foot={<ToOther to="/login">Back to sign-in</ToOther>}
    >
      {isOffered ? (
        <ResetForm />
      ) : (
        <Empty title="This installation has no passwords">Users sign in another way.</Empty>
      )}
    </Entrance>
  )
}

const ResetForm = () => {
  const { mutate, error, isPending } = useResetPassword()
  const { goBack } = useWayBack()
  const wrong = fieldErrors(error)
  return (
    <Form
      label="Reset password"
      error={error}
      onSend={({ email = '', code = '', newPassword = '' }) =>
        mutate({ email, code, newPassword }, { onSuccess: goBack })
      }
    >
      <EmailField autoFocus error={wrong.email} className="h-9" />
      <TextField
        label="Reset code"
        name="code"
        autoComplete="one-time-code"
        spellCheck={false}
        required
        error={wrong.code}
        className="h-9 font-mono"
      />
      <PasswordField
        label="New password"
        name="newPassword"
        isNew
        error={wrong.newPassword}
        className="h-9"
      />
      <Refusal error={error} fields={FIELDS} />
      <Button kind="primary" type="submit" disabled={isPending} className="h-9 justify-center">
        Set password
      </Button>
    </Form>
  )
}
