import { useState } from 'react'
import { ApiError } from '../../../../../lib/api/api-error.ts'
import { EmailField, PasswordField } from '../../components/account-fields.tsx'
import { Button } from '../../components/button.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, type Texts } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { type SessionStatus, useSignup } from '../../data/session.ts'
import { ProviderButtons } from './provider-buttons.tsx'
import { useAsked, useWayBack } from './way-back.ts'

const INVITE = 'inviteCode'
const FIELDS = ['name', 'email', 'password', INVITE]

/** Error codes that concern one field without naming it in `details`. */
const errorFields: Readonly<Record<string, string>> = {
  invite_required: INVITE,
  invalid_invite: INVITE,
  email_taken: 'email',
}

const wrongIn = (error: unknown): Readonly<Record<string, string>> => {
  const field = error instanceof ApiError ? errorFields[error.code] : undefined
  return field && error instanceof ApiError ? { [field]: error.message } : fieldErrors(error)
}

export const FIRST_TITLE = 'Create the admin account'
export const FIRST_HINT = 'No account exists yet. The first account becomes the admin.'
export const isOfFirst = (status: SessionStatus | undefined): boolean =>
  status?.authenticated === false && status.noAccounts === true

/** Without the field of an invite for the first account, which needs none. */
export const SignupForm = ({ isFirst }: { isFirst: boolean }) => {
  const { mutate, error, isPending } = useSignup()
  const { goBack } = useWayBack()
  const [invite, setInvite] = useState(useAsked().invite ?? '')
  const wrong = wrongIn(error)
  const isSaid = FIELDS.some((field) => wrong[field])
  const send = ({ name = '', email = '', password = '' }: Texts) =>
    mutate({ name, email, password, ...(invite ? { inviteCode: invite } : {}) }, { onSuccess: goBack })
  return (
    <>
      <Form label="Sign up" error={error} onSend={send}>
        <TextField
          label="Name"
          name="name"
          autoComplete="name"
          required
          maxLength={100}
          autoFocus
          error={wrong.name}
          className="h-9"
        />
        <EmailField error={wrong.email} className="h-9" />
        <PasswordField isNew error={wrong.password} className="h-9" />
        {!isFirst && (
          <TextField
            label="Invite code"
            name={INVITE}
            autoComplete="off"
            spellCheck={false}
            maxLength={200}
            value={invite}
            onChange={({ target }) => setInvite(target.value.trim())}
            error={wrong[INVITE]}
            hint="If you have one. Admins create them in Settings, Invites."
            className="h-9 font-mono"
          />
        )}
        {!isSaid && <Refusal error={error} />}
        <Button kind="primary" type="submit" disabled={isPending} className="h-9 justify-center">
          {isFirst ? 'Create account' : 'Sign up'}
        </Button>
      </Form>
      <ProviderButtons invite={invite} />
    </>
  )
}
