import { EMPTY_ALT, EmbeddedActionsParser, EOF, type IOrAlt, type IToken, type ParserMethod } from 'chevrotain';
import { ConditionError } from './condition-error.ts';
import { expectations, expectedOnly } from './expectations.ts';
import { readLiteral, readText } from './literals.ts';
import { deeper, expectFollower, type Place } from './place.ts';
import * as t from './tokens.ts';
import {
  type Condition,
  type Kind,
  kindOf,
  type Literal,
  type LiteralValue,
  type Method,
  methods,
  type Operand,
  type VariableName,
  variableKinds,
} from './tree.ts';

const isVariable = (name: string): name is VariableName => Object.hasOwn(variableKinds, name);
const isMethod = (name: string): name is Method => methods.some((method) => method === name);

/**
 * The grammar (docs/notifications.md), by increasing precedence: `or`, `and`, `not`, then a test of one value. Code in
 * `ACTION` does not run while Chevrotain records the grammar with dummy tokens.
 *
 * Rules throw a ConditionError for a wrong value. Errors about unexpected tokens are in `errors`.
 */
export class ConditionGrammar extends EmbeddedActionsParser {
  constructor() {
    super(t.tokens, { errorMessageProvider: expectedOnly, maxLookahead: 1 });
    this.performSelfAnalysis();
  }

  readonly condition: ParserMethod<[], Condition> = this.RULE('condition', () => {
    const condition = this.SUBRULE(this.either, { ARGS: [{ level: 0, end: 'the end' }] });
    this.CONSUME(EOF, { ERR_MSG: 'and, or or the end' });
    return condition;
  });

  readonly either: ParserMethod<[Place], Condition> = this.RULE('either', (place: Place): Condition => {
    const first = this.SUBRULE(this.both, { ARGS: [place] });
    const more: Condition[] = [];
    this.MANY(() => {
      this.CONSUME(t.Or);
      more.push(this.SUBRULE2(this.both, { ARGS: [place] }));
    });
    return more.length === 0 ? first : { kind: 'or', operands: [first, ...more] };
  });

  readonly both: ParserMethod<[Place], Condition> = this.RULE('both', (place: Place): Condition => {
    const first = this.SUBRULE(this.unary, { ARGS: [place] });
    const more: Condition[] = [];
    this.MANY(() => {
      this.CONSUME(t.And);
      more.push(this.SUBRULE2(this.unary, { ARGS: [place] }));
    });
    return more.length === 0 ? first : { kind: 'and', operands: [first, ...more] };
  });

  readonly unary: ParserMethod<[Place], Condition> = this.RULE('unary', (place: Place) =>
    this.OR<IOrAlt<Condition>[]>({
      DEF: [
        {
          ALT: (): Condition => {
            const token = this.CONSUME(t.Not);
            const inner = this.ACTION(() => deeper(place, token, place.end));
            return { kind: 'not', operand: this.SUBRULE(this.unary, { ARGS: [inner] }) };
          },
        },
        {
          ALT: () => {
            const token = this.CONSUME(t.Open);
            const inner = this.ACTION(() => deeper(place, token, ')'));
            const condition = this.SUBRULE(this.either, { ARGS: [inner] });
            this.CONSUME(t.Close, { ERR_MSG: 'and, or or )' });
            return condition;
          },
        },
        { ALT: () => this.SUBRULE(this.question, { ARGS: [place] }) },
      ],
      ERR_MSG: expectations.condition,
    }),
  );

  readonly question: ParserMethod<[Place], Condition> = this.RULE('question', (place: Place) => {
    const left = this.SUBRULE(this.operand, { ARGS: [null] });
    const kind = this.ACTION(() => {
      expectFollower(kindOf(left), this.LA(1), place);
      return kindOf(left);
    });
    return this.OR<IOrAlt<Condition>[]>([
      { ALT: () => this.SUBRULE(this.comparison, { ARGS: [left, kind] }) },
      {
        ALT: () => {
          this.CONSUME(t.In);
          return { kind: 'in', left, values: this.SUBRULE(this.list, { ARGS: [kind] }) };
        },
      },
      { ALT: () => this.SUBRULE(this.call, { ARGS: [left] }) },
      { ALT: EMPTY_ALT<Condition>({ kind: 'alone', operand: left }) },
    ]);
  });

  readonly comparison: ParserMethod<[Operand, Kind], Condition> = this.RULE(
    'comparison',
    (left: Operand, kind: Kind): Condition => {
      const operator = this.OR<IOrAlt<'==' | '!='>[]>([
        {
          ALT: () => {
            this.CONSUME(t.Equal);
            return '==';
          },
        },
        {
          ALT: () => {
            this.CONSUME(t.NotEqual);
            return '!=';
          },
        },
      ]);
      return { kind: 'compare', operator, left, right: this.SUBRULE(this.operand, { ARGS: [kind] }) };
    },
  );

  readonly list: ParserMethod<[Kind], LiteralValue[]> = this.RULE('list', (kind: Kind) => {
    this.CONSUME(t.OpenList, { ERR_MSG: '[' });
    const values = [this.SUBRULE(this.literal, { ARGS: [kind] }).value];
    this.MANY(() => {
      this.CONSUME(t.Comma);
      values.push(this.SUBRULE2(this.literal, { ARGS: [kind] }).value);
    });
    this.CONSUME(t.CloseList, { ERR_MSG: ', or ]' });
    return values;
  });

  readonly call: ParserMethod<[Operand], Condition> = this.RULE('call', (left: Operand): Condition => {
    this.CONSUME(t.Dot);
    const name = this.CONSUME(t.Name, { ERR_MSG: expectations.method });
    const method = this.ACTION(() => {
      if (!isMethod(name.image)) throw ConditionError.at(name, expectations.method);
      return name.image;
    });
    this.CONSUME(t.Open, { ERR_MSG: '(' });
    const argument = this.CONSUME(t.Text, { ERR_MSG: expectations.literal.text });
    const text = this.ACTION(() => readText(argument));
    this.CONSUME(t.Close, { ERR_MSG: ')' });
    return { kind: 'method', method, left, text };
  });

  /** A value. `wanted` is the only kind allowed; null allows every kind. */
  readonly operand: ParserMethod<[Kind | null], Operand> = this.RULE('operand', (wanted: Kind | null) =>
    this.OR<IOrAlt<Operand>[]>({
      DEF: [
        {
          ALT: () => {
            const token = this.CONSUME(t.Name);
            return this.ACTION((): Operand => {
              const name = token.image;
              if (!isVariable(name) || (wanted && variableKinds[name] !== wanted))
                throw ConditionError.at(token, wanted ? expectations.literal[wanted] : expectations.name);
              return { kind: 'variable', name };
            });
          },
        },
        { ALT: () => this.SUBRULE(this.literal, { ARGS: [wanted] }) },
      ],
      ERR_MSG: wanted ? expectations.literal[wanted] : expectations.condition,
    }),
  );

  readonly literal: ParserMethod<[Kind | null], Literal> = this.RULE('literal', (wanted: Kind | null): Literal => {
    const token = this.OR<IOrAlt<IToken>[]>({
      DEF: [
        { ALT: () => this.CONSUME(t.Text) },
        { ALT: () => this.CONSUME(t.Integer) },
        { ALT: () => this.CONSUME(t.True) },
        { ALT: () => this.CONSUME(t.False) },
      ],
      ERR_MSG: wanted ? expectations.literal[wanted] : expectations.condition,
    });
    return this.ACTION((): Literal => {
      const literal: Literal = { kind: 'literal', value: readLiteral(token) };
      if (wanted && kindOf(literal) !== wanted) throw ConditionError.at(token, expectations.literal[wanted]);
      return literal;
    });
  });
}
