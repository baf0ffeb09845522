import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { type ProviderName, providers, providerTitle, useLinkable, wayTo } from '../../data/providers.ts'
import { leaveToLink } from '../../data/way-back.ts'

const isProvider = (name: string): name is ProviderName => Object.hasOwn(providers, name)

const linkHint = (name: ProviderName, isLinked: boolean) => {
  if (name === 'oidc') return isLinked ? 'To unlink it, ask an admin.' : 'Link it to sign in with it.'
  return (
    <>
      {isLinked ? 'Manage access or unlink it under' : 'To use it in tasks, link it under'}{' '}
      <Link to="/settings/integrations" className="underline underline-offset-2">
        Integrations
      </Link>
    </>
  )
}

export const LinkedAccounts = ({ linked }: { linked: readonly string[] }) => {
  const linkable = useLinkable()
  const names = [...new Set([...linked.filter(isProvider), ...linkable])]
  if (names.length === 0) return null
  return (
    <Panel title="Linked accounts">
      <Rows label="Linked accounts">
        {names.map((name) => (
          <Row
            key={name}
            title={providerTitle(name)}
            aside={linked.includes(name) && <Tag tone="good">Linked</Tag>}
            meta={linkHint(name, linked.includes(name))}
            actions={
              <a href={wayTo(name)} onClick={leaveToLink} className={buttonClass({ size: 'small' })}>
                {linked.includes(name) ? 'Link again' : 'Link'}
              </a>
            }
          />
        ))}
      </Rows>
    </Panel>
  )
}
