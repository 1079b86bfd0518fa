import { useEffect, useRef, useState } from 'react';
import { useMay } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { Empty, ProblemNotice } from '../../components/notice.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { ToCopy } from '../../components/to-copy.tsx';
import { useRowFocus } from '../../components/use-row-focus.ts';
import { TokenForm } from './token-form.tsx';
import { TokenList } from './token-list.tsx';
import { type CreatedToken, useTokens } from './use-tokens.ts';

/** The stored admin tokens: to create and to revoke. */
export function TokensPage() {
  const { data, error, refetch } = useTokens();
  const mayAdmin = useMay('admin');
  const [isNew, setIsNew] = useState(false);
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const begin = useRef<HTMLButtonElement>(null);
  useRowFocus(data, begin);
  const open = () => {
    setCreated(null);
    setIsNew(true);
  };
  const done = (token: CreatedToken | null) => {
    setCreated(token);
    setIsNew(false);
    if (token === null) begin.current?.focus();
  };
  return (
    <Page
      title="Tokens"
      actions={
        mayAdmin && (
          <Button ref={begin} tone="main" blocked={isNew} onClick={open}>
            New token
          </Button>
        )
      }
    >
      <p className="intro">
        Tokens for people and programs, also for some accounts only. Those of <code>ADMIN_TOKENS</code> are not listed:
        they change with the settings.
      </p>
      {isNew && <TokenForm onDone={done} />}
      {created && <Created token={created} />}
      {error && !data && <ProblemNotice error={error} retry={() => void refetch()} />}
      {data && (
        <Panel title="In force">
          {data.length === 0 ? (
            <Empty title="No tokens yet">
              <p>Create one for a developer, a script or a pipeline, with no more rights than it needs.</p>
            </Empty>
          ) : (
            <TokenList tokens={data} />
          )}
        </Panel>
      )}
    </Page>
  );
}

/** The token, which is not shown again. The focus is on the button that copies it. */
function Created({ token: { name, token } }: { token: CreatedToken }) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.querySelector('button')?.focus(), []);
  return (
    <section ref={box} className="panel stack" aria-label={`The token ${name}`}>
      <p role="status">
        <strong>{name}</strong> was created. Copy it now: the gateway does not show it again.
      </p>
      <ToCopy text={token} />
    </section>
  );
}
