import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../components/button.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { type ProviderName, providers, providerTitle, useLinkable, wayTo } from '../../data/providers.ts'
import { leaveToLink } from '../../data/way-back.ts'

const isProvider = (name: string): name is ProviderName => Object.hasOwn(providers, name)

const linkHint = (name: ProviderName, isLinked: boolean) => {
  if (name === 'oidc') return isLinked ? 'Ask an admin to unlink it.' : 'Link it to sign in with it.'
  return (
    <>
      {isLinked ? 'Tool access, and disconnecting:' : 'Link it so that tasks can use it:'}{' '}
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
