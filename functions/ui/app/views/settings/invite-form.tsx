import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, given, type Texts } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Secret } from '../../components/secret.tsx'
import { Panel } from '../../components/view.tsx'
import { useCreateInvite } from '../../data/accounts.ts'

const FIELDS = ['email', 'expiresInDays']

const inviteUrl = (code: string) => `${location.origin}/signup?${new URLSearchParams({ invite: code })}`

/** The response holds the only copy of the code. */
export const InviteForm = () => {
  const { mutate, data, error, isPending } = useCreateInvite()
  const [round, setRound] = useState(0)
  const wrong = fieldErrors(error)
  const create = (texts: Texts) => {
    const { email } = given(texts)
    mutate(
      { expiresInDays: Number(texts.expiresInDays), ...(email ? { email } : {}) },
      { onSuccess: () => setRound(round + 1) },
    )
  }
  return (
    <Panel title="New invite">
      <Form
        key={round}
        label="New invite"
        error={error}
        onSend={create}
        className="flex flex-col gap-3 p-3.5"
      >
        {data && <Secret label="Send this link to the person you invite" text={inviteUrl(data.code)} />}
        <div className="flex flex-wrap gap-3 [&>*]:basis-40">
          <TextField
            label="Email"
            name="email"
            type="email"
            autoComplete="off"
            placeholder="Anyone with the link"
            error={wrong.email}
          />
          <SelectField
            label="Expires after"
            name="expiresInDays"
            defaultValue="7"
            error={wrong.expiresInDays}
          >
            <option value="1">A day</option>
            <option value="7">7 days</option>
            <option value="30">30 days</option>
          </SelectField>
        </div>
        <Refusal error={error} fields={FIELDS} />
        <div>
          <Button kind="primary" type="submit" disabled={isPending}>
            Create invite
          </Button>
        </div>
      </Form>
    </Panel>
  )
}
