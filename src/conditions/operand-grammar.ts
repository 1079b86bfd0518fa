import { EmbeddedActionsParser, type IOrAlt, type IToken, type ParserMethod, tokenMatcher } from 'chevrotain';
import { ConditionError } from './condition-error.ts';
import { expectations, expectedOnly } from './expectations.ts';
import { readIndex, readLiteral, readText } from './literals.ts';
import * as t from './tokens.ts';
import {
  fits,
  type Header,
  type Kind,
  kindOf,
  type Literal,
  type Operand,
  type PayloadPath,
  type Segment,
  type VariableName,
  variableKinds,
  variableNames,
} from './tree.ts';

/** The rules for values: literals, variables, and what stands for the content of an event. */
export class OperandGrammar extends EmbeddedActionsParser {
  /** The variables that the condition may name. */
  variables: readonly VariableName[] = variableNames;

  constructor() {
    super(t.tokens, { errorMessageProvider: expectedOnly, maxLookahead: 1 });
  }

  /** A value that fits the kind `wanted`; null allows every kind. */
  readonly operand: ParserMethod<[Kind | null], Operand> = this.RULE('operand', (wanted: Kind | null) =>
    this.OR<IOrAlt<Operand>[]>({
      DEF: [
        {
          ALT: () => {
            const token = this.CONSUME(t.Name);
            return this.ACTION((): Operand => {
              const name = variableNames.find((one) => one === token.image);
              const isElsewhere = name !== undefined && !this.variables.includes(name);
              if (isElsewhere) throw ConditionError.at(token, expectations.name(this.variables));
              if (name === undefined || (wanted && !fits(variableKinds[name], wanted)))
                throw ConditionError.at(
                  token,
                  wanted ? expectations.literal[wanted] : expectations.name(this.variables),
                );
              return { kind: 'variable', name };
            });
          },
        },
        { ALT: () => this.SUBRULE(this.payload) },
        {
          ALT: () => {
            const token = this.LA(1);
            const header = this.SUBRULE(this.header);
            this.ACTION(() => {
              if (wanted && !fits('text', wanted)) throw ConditionError.at(token, expectations.literal[wanted]);
            });
            return header;
          },
        },
        { ALT: () => this.SUBRULE(this.literal, { ARGS: [wanted] }) },
      ],
      ERR_MSG: wanted ? expectations.literal[wanted] : expectations.condition,
    }),
  );

  readonly payload: ParserMethod<[], PayloadPath> = this.RULE('payload', (): PayloadPath => {
    this.CONSUME(t.Payload);
    const path: Segment[] = [];
    this.MANY({
      // A name before a parenthesis is a method: `payload.name.contains("x")`.
      GATE: () => !tokenMatcher(this.LA(1), t.Dot) || !tokenMatcher(this.LA(3), t.Open),
      DEF: () => path.push(this.SUBRULE(this.segment)),
    });
    return { kind: 'payload', path };
  });

  readonly segment: ParserMethod<[], Segment> = this.RULE('segment', () =>
    this.OR<IOrAlt<Segment>[]>([
      {
        ALT: () => {
          this.CONSUME(t.Dot);
          return this.CONSUME(t.Word, { ERR_MSG: expectations.segment }).image;
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.OpenList);
          const key = this.OR1<IOrAlt<IToken>[]>({
            DEF: [{ ALT: () => this.CONSUME(t.Text) }, { ALT: () => this.CONSUME(t.Numeral) }],
            ERR_MSG: expectations.key,
          });
          this.CONSUME(t.CloseList, { ERR_MSG: ']' });
          return this.ACTION(() => (tokenMatcher(key, t.Text) ? readText(key) : readIndex(key)));
        },
      },
    ]),
  );

  readonly header: ParserMethod<[], Header> = this.RULE('header', (): Header => {
    this.CONSUME(t.Header);
    this.CONSUME(t.OpenList, { ERR_MSG: '[' });
    const name = this.CONSUME(t.Text, { ERR_MSG: expectations.literal.text });
    this.CONSUME(t.CloseList, { ERR_MSG: ']' });
    return { kind: 'header', name: this.ACTION(() => readText(name).toLowerCase()) };
  });

  readonly literal: ParserMethod<[Kind | null], Literal> = this.RULE('literal', (wanted: Kind | null): Literal => {
    const token = this.OR<IOrAlt<IToken>[]>({
      DEF: [
        { ALT: () => this.CONSUME(t.Text) },
        { ALT: () => this.CONSUME(t.Numeral) },
        { ALT: () => this.CONSUME(t.True) },
        { ALT: () => this.CONSUME(t.False) },
      ],
      ERR_MSG: wanted ? expectations.literal[wanted] : expectations.condition,
    });
    return this.ACTION((): Literal => {
      const literal: Literal = { kind: 'literal', value: readLiteral(token, wanted) };
      if (wanted && !fits(kindOf(literal), wanted)) throw ConditionError.at(token, expectations.literal[wanted]);
      return literal;
    });
  });
}
